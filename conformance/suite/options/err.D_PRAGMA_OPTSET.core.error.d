#pragma D option core=1
BEGIN { exit(0); }
