#pragma D option demangle=maybe
BEGIN { exit(0); }
