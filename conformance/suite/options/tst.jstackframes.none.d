/* @@ args: -q -x jstackframes=0 */
syscall::read:entry { @[jstack()] = count(); jstack(); jstack(1); }
