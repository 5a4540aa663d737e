/* @@ args: -q -x aggsize=1 -x quietresize */
BEGIN { printf("%d", 1); exit(0); }
