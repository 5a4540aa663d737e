#pragma D option tree=0
BEGIN { exit(0); }
