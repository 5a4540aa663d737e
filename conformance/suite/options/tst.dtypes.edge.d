/* @@ args: -q -x dtypes=/nonexistent/types */
/* @@ status: 1 */
/* A file that cannot be. */
struct t { int x; };
BEGIN { printf("%d", 1); exit(0); }
