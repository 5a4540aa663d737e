/* @@ args: -q -x late=static */
BEGIN { printf("%d", 1); exit(0); }
