/* @@ args: -q -C -x cpphdrs */
/* @@ needs: cpp */
#include </dev/null>
BEGIN { printf("%d", 1); exit(0); }
