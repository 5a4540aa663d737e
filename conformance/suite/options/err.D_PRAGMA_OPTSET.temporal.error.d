#pragma D option temporal=maybe
BEGIN { exit(0); }
