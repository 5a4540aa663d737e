#pragma D option lockmem=64m
BEGIN { exit(0); }
