#pragma D option agghist=maybe
BEGIN { exit(0); }
