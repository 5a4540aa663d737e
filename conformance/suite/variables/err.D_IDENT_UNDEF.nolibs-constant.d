/* @@ args: -q -x nolibs */
/* The constants are inlines of the libraries. */
BEGIN { trace(SIGKILL); exit(0); }
