#pragma D option ustackframes=0
BEGIN { exit(0); }
