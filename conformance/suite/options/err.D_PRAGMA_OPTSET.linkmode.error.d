#pragma D option linkmode=kernel
BEGIN { exit(0); }
