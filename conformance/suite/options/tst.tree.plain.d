/* @@ args: -q -x tree=1 */
BEGIN { x = 1 + 2; exit(0); }
