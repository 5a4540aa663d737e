#pragma D option aggpack=maybe
BEGIN { exit(0); }
