#pragma D option kdefs=1
BEGIN { exit(0); }
