/* @@ args: -q -x cpu=2 */
/* @@ status: 1 */
/* There is none. */
syscall::read:entry { }
