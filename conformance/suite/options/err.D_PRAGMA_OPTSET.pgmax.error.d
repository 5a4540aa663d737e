#pragma D option pgmax=few
BEGIN { exit(0); }
