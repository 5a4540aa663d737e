/* A definition of the program comes before an extension. */
/* @@ args: -q -x strict=no */
inline int strerror[int n] = n + 1;
BEGIN { printf("%d\n", strerror[1]); exit(0); }
