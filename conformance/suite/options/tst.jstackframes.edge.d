/* @@ args: -q -x jstackframes=4294967295 */
/* More than there are. */
syscall::read:entry { jstack(); jstack(4); }
