#pragma D option linktype=other
BEGIN { exit(0); }
