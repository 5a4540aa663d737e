/* @@ args: -q -x jstackstrsize=14 */
syscall::read:entry { jstack(); }
