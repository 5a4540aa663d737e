/* @@ args: -q -x iregs=8 */
BEGIN { printf("%d", 1); exit(0); }
