/* @@ args: -q -x disasm=15 */
/* Without -S nothing is shown. */
BEGIN { printf("%d", 1); exit(0); }
