/* @@ args: -q -x bufresize=manual -x aggsize=1t */
/* @@ status: 1 */
/* It cannot be had. */
BEGIN { printf("%d", 1); exit(0); }
