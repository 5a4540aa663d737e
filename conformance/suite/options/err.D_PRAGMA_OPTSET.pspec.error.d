#pragma D option pspec=yes
BEGIN { exit(0); }
