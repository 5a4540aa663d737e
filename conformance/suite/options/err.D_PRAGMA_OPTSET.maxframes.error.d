#pragma D option maxframes=128
BEGIN { exit(0); }
