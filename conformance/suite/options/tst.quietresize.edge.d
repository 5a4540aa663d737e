/* @@ args: -q -x quietresize -x bufsize=1 */
/* The buffer is told even so. */
BEGIN { printf("%d", 1); exit(0); }
