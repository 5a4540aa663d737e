/* @@ args: -q -C -x stdc=s */
/* @@ needs: cpp */
/* Before ISO C a comment joins what stands around it. */
BEGIN { printf("%d", 1/**/2); exit(0); }
