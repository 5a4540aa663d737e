#pragma D option grabanon=maybe
BEGIN { exit(0); }
