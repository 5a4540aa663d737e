#pragma D option zdefs=yes
BEGIN { exit(0); }
