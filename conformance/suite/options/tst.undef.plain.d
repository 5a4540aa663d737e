/* @@ args: -q -C -x undef=__linux */
/* @@ needs: cpp */
#ifdef __linux
BEGIN { printf("linux"); exit(0); }
#else
BEGIN { printf("none"); exit(0); }
#endif
