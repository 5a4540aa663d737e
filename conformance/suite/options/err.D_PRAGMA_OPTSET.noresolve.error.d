#pragma D option noresolve=maybe
BEGIN { exit(0); }
