/* @@ args: -q -x nolibs */
BEGIN { printf("%d", 1); exit(0); }
