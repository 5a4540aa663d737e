#pragma D option udefs=1
BEGIN { exit(0); }
