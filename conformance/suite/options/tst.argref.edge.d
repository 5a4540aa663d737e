/* @@ args: -q -x argref */
/* @@ operands: 7 8 */
/* The last of two is not used, the first is. */
BEGIN { printf("%d", $1); exit(0); }
