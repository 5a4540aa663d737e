#pragma D option define=N=7
BEGIN { exit(0); }
