/* @@ args: -q -x dofstashpath=/nonexistent/x */
/* Whatever it says. */
BEGIN { printf("%d", 1); exit(0); }
