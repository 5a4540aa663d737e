/* @@ args: -q -C -x stdc=a -x stdc=c -x stdc=t */
/* @@ needs: cpp */
/* Today it is a blank. */
BEGIN { printf("%d", 1 +/**/2); exit(0); }
