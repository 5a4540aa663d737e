/* @@ args: -q -x cpp */
/* @@ needs: cpp */
#define N 7
BEGIN { printf("%d", N); exit(0); }
