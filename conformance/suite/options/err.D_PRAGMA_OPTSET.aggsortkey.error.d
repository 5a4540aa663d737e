#pragma D option aggsortkey=maybe
BEGIN { exit(0); }
