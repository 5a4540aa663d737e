/* @@ args: -q -C -x cpppath=cpp */
/* @@ needs: cpp */
#define N 7
BEGIN { printf("%d", N); exit(0); }
