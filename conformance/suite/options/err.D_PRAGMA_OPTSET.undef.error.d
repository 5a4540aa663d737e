#pragma D option undef=N
BEGIN { exit(0); }
