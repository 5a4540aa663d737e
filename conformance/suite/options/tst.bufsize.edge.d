/* @@ args: -q -x bufsize=4097 */
/* A power of two of pages. */
BEGIN { printf("%d", 1); exit(0); }
