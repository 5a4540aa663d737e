#pragma D option linkmode=other
BEGIN { exit(0); }
