#pragma D option ctfpath=/x
BEGIN { exit(0); }
