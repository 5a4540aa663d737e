#pragma D option late=never
BEGIN { exit(0); }
