/* @@ args: -q -x empty */
/* @@ status: 1 */
/* nothing */
