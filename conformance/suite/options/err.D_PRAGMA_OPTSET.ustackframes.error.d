#pragma D option ustackframes=-1
BEGIN { exit(0); }
