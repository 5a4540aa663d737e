#pragma D option debug=1
BEGIN { exit(0); }
