/* @@ args: -q -x ctypes=/nonexistent/types */
/* @@ status: 1 */
/* A file that cannot be. */
BEGIN { printf("%d", 1); exit(0); }
