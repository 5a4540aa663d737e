/* @@ args: -q -x maxframes=128 */
/* More than there are is the most there is, which is told. */
syscall::read:entry { stack(200); ustack(9); }
