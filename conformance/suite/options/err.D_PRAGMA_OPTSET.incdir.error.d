#pragma D option incdir=/dev
BEGIN { exit(0); }
