#pragma D option linknommap=1
BEGIN { exit(0); }
