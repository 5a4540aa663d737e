/* @@ args: -q -x lazyload */
BEGIN { printf("%d", 1); exit(0); }
