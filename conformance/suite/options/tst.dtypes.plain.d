/* @@ args: -q -x dtypes=/dev/null */
struct t { int x; };
BEGIN { printf("%d", 1); exit(0); }
