/* @@ args: -q -C -x incdir=/nonexistent -x incdir=/dev */
/* @@ needs: cpp */
/* A folder that is not there is passed over. */
#include "null"
BEGIN { printf("%d", 1); exit(0); }
