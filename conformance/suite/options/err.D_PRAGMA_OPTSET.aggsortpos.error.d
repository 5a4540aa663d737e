#pragma D option aggsortpos=first
BEGIN { exit(0); }
