/* @@ args: -q -x pgmax=8 */
BEGIN { printf("%d", 1); exit(0); }
