#pragma D option stdc=s
BEGIN { exit(0); }
