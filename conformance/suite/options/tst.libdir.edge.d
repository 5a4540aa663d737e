/* @@ args: -q -x libdir=/nonexistent */
/* @@ status: 1 */
/* A folder that is not there. */
BEGIN { printf("%d", 1); exit(0); }
