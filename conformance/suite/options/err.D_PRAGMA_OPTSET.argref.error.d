#pragma D option argref=yes
BEGIN { exit(0); }
