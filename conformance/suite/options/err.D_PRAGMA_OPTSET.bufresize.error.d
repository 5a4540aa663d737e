#pragma D option bufresize=never
BEGIN { exit(0); }
