#pragma D option modpath=/x
BEGIN { exit(0); }
