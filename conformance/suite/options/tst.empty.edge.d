/* @@ args: -q -x empty */
/* @@ status: 1 */
/* Declarations alone. */
int n;
inline int two = 2;
