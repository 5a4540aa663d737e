#pragma D option procfspath=/proc
BEGIN { exit(0); }
