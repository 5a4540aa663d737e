/* @@ args: -q -C -x cpppath=/nonexistent/cpp */
/* @@ status: 1 */
/* There is no such program. */
BEGIN { printf("%d", 1); exit(0); }
