/* @@ args: -q -x jstackstrsize=0 */
/* No room for names. */
syscall::read:entry { jstack(); }
