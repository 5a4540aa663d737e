#pragma D option stackindent=1025
BEGIN { exit(0); }
