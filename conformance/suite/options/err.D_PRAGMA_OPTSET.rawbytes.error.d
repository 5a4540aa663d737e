#pragma D option rawbytes=maybe
BEGIN { exit(0); }
