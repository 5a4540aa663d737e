#pragma D option quietresize=maybe
BEGIN { exit(0); }
