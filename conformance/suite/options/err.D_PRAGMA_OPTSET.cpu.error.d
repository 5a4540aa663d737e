#pragma D option cpu=one
BEGIN { exit(0); }
