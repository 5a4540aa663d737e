/* @@ args: -q -x modpath=/nonexistent/x */
/* Whatever it says. */
BEGIN { printf("%d", 1); exit(0); }
