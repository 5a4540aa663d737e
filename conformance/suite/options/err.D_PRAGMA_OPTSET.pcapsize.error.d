#pragma D option pcapsize=x
BEGIN { exit(0); }
