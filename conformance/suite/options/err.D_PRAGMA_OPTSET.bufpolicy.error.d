#pragma D option bufpolicy=rink
BEGIN { exit(0); }
