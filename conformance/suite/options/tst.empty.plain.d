/* @@ args: -q -x empty */
/* @@ status: 1 */
/* Nothing is enabled. */
