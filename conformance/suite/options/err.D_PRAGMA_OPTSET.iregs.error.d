#pragma D option iregs=few
BEGIN { exit(0); }
