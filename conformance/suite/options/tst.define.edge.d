/* @@ args: -q -C -x define=N */
/* @@ needs: cpp */
/* Without a value it is 1. */
BEGIN { printf("%d", N); exit(0); }
