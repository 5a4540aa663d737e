/* @@ args: -q -x modpath=/x */
BEGIN { printf("%d", 1); exit(0); }
