/* @@ args: -q -S -x disasm=1 */
BEGIN { printf("%d", 1); exit(0); }
