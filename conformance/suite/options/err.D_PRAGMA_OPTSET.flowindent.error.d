#pragma D option flowindent=maybe
BEGIN { exit(0); }
