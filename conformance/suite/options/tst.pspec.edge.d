/* @@ args: -q -x pspec */
/* Declarations are declarations still. */
int n;
BEGIN { n = 2; printf("%d", n); exit(0); }
