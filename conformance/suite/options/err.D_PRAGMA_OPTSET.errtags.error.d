#pragma D option errtags=yes
BEGIN { exit(0); }
