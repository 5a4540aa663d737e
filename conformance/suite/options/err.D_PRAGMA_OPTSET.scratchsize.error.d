#pragma D option scratchsize=7
BEGIN { exit(0); }
