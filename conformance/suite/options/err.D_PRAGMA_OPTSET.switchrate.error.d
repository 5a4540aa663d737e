#pragma D option switchrate=hz
BEGIN { exit(0); }
