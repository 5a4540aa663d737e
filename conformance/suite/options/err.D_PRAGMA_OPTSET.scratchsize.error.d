#pragma D option scratchsize=1048577
BEGIN { exit(0); }
