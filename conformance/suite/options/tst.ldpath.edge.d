/* @@ args: -q -x ldpath=/nonexistent/x */
/* Whatever it says. */
BEGIN { printf("%d", 1); exit(0); }
