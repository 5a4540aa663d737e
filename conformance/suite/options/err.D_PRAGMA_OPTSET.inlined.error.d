#pragma D option inlined=maybe
BEGIN { exit(0); }
