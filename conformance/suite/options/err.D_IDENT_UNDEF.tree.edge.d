/* @@ args: -q -x tree=8 */
/* Of a program that is refused there is none to show. */
BEGIN { trace(nosuch); }
