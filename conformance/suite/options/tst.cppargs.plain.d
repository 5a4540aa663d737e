/* @@ args: -q -C -x cppargs=-DN=7 */
/* @@ needs: cpp */
BEGIN { printf("%d", N); exit(0); }
