#pragma D option cpphdrs
BEGIN { exit(0); }
