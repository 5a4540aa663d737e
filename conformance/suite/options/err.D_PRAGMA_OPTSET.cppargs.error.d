#pragma D option cppargs=-DN
BEGIN { exit(0); }
