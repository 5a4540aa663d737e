#pragma D option aggsize=4q
BEGIN { exit(0); }
