#pragma D option stackframes=0
BEGIN { exit(0); }
