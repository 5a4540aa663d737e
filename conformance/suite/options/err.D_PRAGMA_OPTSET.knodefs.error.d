#pragma D option knodefs=1
BEGIN { exit(0); }
