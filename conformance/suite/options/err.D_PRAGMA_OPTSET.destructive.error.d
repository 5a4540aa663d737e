#pragma D option destructive=maybe
BEGIN { exit(0); }
