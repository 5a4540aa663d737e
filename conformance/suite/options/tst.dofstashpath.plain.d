/* @@ args: -q -x dofstashpath=/x */
BEGIN { printf("%d", 1); exit(0); }
