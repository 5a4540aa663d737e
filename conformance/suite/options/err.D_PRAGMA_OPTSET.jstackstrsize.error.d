#pragma D option jstackstrsize=2m
BEGIN { exit(0); }
