/* @@ args: -q -x version=1.5 */
/* stddev() came with 1.6. */
BEGIN { @ = stddev(1); }
