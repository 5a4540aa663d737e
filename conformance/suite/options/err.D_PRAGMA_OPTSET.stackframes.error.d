#pragma D option stackframes=-1
BEGIN { exit(0); }
