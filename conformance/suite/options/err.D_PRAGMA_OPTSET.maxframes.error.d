#pragma D option maxframes=-1
BEGIN { exit(0); }
