/* @@ args: -q -x procfspath=/other */
/* @@ status: 1 */
/* No other. */
BEGIN { printf("%d", 1); exit(0); }
