#pragma D option droptags=no
BEGIN { exit(0); }
