/* @@ args: -q -C -x define=N=7 -x undef=N -x define=N=8 */
/* @@ needs: cpp */
/* What is defined after it stays. */
BEGIN { printf("%d", N); exit(0); }
