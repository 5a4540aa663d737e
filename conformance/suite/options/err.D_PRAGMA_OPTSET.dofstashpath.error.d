#pragma D option dofstashpath=/x
BEGIN { exit(0); }
