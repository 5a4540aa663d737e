/* @@ args: -q -x debug */
/* Of a program that is refused there is nothing to tell. */
BEGIN { trace(nosuch); }
