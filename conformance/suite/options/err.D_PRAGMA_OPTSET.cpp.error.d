#pragma D option cpp=gcc
BEGIN { exit(0); }
