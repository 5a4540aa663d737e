#pragma D option maxframes=0
BEGIN { exit(0); }
