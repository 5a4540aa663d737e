/* @@ args: -q -x lazyload */
/* Twice. */
#pragma D option lazyload
BEGIN { printf("%d", 1); exit(0); }
