#pragma D option aggpercpu=often
BEGIN { exit(0); }
