/* @@ args: -q -C -x define=N=7 */
/* @@ needs: cpp */
BEGIN { printf("%d", N); exit(0); }
