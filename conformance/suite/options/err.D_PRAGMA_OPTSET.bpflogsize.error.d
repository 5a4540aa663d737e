#pragma D option bpflogsize=big
BEGIN { exit(0); }
