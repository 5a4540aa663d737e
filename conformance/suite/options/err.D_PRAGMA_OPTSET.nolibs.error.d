#pragma D option nolibs
BEGIN { exit(0); }
