#pragma D option verbose=yes
BEGIN { exit(0); }
