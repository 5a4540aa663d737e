#pragma D option jstackframes=-1
BEGIN { exit(0); }
