#pragma D option bufsize=-1
BEGIN { exit(0); }
