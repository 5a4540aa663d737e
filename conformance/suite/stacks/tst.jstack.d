/* @@ args: -q -x jstackframes=3 */
syscall::read:entry { jstack(); jstack(2, 14); ustack(9); ustack(9, 50); }
