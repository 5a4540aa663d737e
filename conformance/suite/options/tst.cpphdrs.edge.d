/* @@ args: -q -C -x cpphdrs */
/* @@ needs: cpp */
/* Nothing is included. */
BEGIN { printf("%d", 1); exit(0); }
