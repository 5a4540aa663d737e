#pragma D option unwind=orc
BEGIN { exit(0); }
