/* @@ args: -q -x pcapsize=64 */
BEGIN { printf("%d", 1); exit(0); }
