#pragma D option dofstashpath
BEGIN { exit(0); }
