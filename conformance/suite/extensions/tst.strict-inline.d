/* In strict mode the names are the program's own. */
/* @@ args: -q -x strict */
inline int strerror[int n] = n + 1;
BEGIN { printf("%d\n", strerror[1]); exit(0); }
