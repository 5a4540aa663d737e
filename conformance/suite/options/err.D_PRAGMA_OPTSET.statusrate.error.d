#pragma D option statusrate=soon
BEGIN { exit(0); }
