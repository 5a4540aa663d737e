/* @@ args: -q -x defaultargs */
/* @@ operands: 5 */
/* Arguments that are given count. */
BEGIN { printf("%d[%s]", $1, $$2); exit(0); }
