#pragma D option linkmode=zork
BEGIN { exit(0); }
