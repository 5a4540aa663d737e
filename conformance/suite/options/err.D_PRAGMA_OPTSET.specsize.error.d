#pragma D option specsize=k
BEGIN { exit(0); }
