/* @@ args: -q -C */
#define N 3
BEGIN { trace(N); exit(0); }
