#pragma D option cpppath=/bin/cpp
BEGIN { exit(0); }
