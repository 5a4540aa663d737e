/* @@ args: -q -x late=dynamic */
BEGIN { printf("%d", 1); exit(0); }
