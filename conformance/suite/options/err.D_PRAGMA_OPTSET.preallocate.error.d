#pragma D option preallocate=few
BEGIN { exit(0); }
