/* @@ args: -q -C -x cppargs=-DN=7 -x cppargs=-UN -x cppargs=-DN=8 */
/* @@ needs: cpp */
/* Two of them, in order. */
BEGIN { printf("%d", N); exit(0); }
