#pragma D option aggsortrev=2x
BEGIN { exit(0); }
