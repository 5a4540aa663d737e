/* @@ args: -q -x ctfpath=/nonexistent */
/* There is nothing: the program needs none. */
BEGIN { printf("%d", 1); exit(0); }
