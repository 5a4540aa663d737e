/* @@ args: -q -C -x incdir=/dev */
/* @@ needs: cpp */
#include "null"
BEGIN { printf("%d", 1); exit(0); }
