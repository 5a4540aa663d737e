#pragma D option empty=yes
BEGIN { exit(0); }
