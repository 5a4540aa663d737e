/* @@ args: -q -x jstackframes=3 */
syscall::read:entry { jstack(); jstack(4); }
