#pragma D option lazyload=1
BEGIN { exit(0); }
