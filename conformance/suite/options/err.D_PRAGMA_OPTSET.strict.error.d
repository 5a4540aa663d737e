#pragma D option strict=maybe
BEGIN { exit(0); }
