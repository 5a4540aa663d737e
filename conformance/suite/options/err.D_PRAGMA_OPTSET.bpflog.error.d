#pragma D option bpflog=maybe
BEGIN { exit(0); }
