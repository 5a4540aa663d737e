#pragma D option linknommap
BEGIN { exit(0); }
