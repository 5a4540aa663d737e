#pragma D option cleanrate=10hx
BEGIN { exit(0); }
