#pragma D option strip=1
BEGIN { exit(0); }
