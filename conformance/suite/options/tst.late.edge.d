/* @@ args: -q -x late=dynamic */
#pragma D option late=dynamic
BEGIN { printf("%d", 1); exit(0); }
