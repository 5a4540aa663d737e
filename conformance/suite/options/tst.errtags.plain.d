/* @@ args: -q -x errtags */
/* @@ status: 1 */
BEGIN { trace(nosuch); }
