#pragma D option aggrate=often
BEGIN { exit(0); }
