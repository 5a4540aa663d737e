#pragma D option debugassert=1
BEGIN { exit(0); }
