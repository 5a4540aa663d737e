/* @@ args: -q -x syslibdir=/nonexistent */
/* @@ status: 1 */
/* A folder that is not there. */
BEGIN { printf("%d", 1); exit(0); }
