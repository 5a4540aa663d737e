/* @@ args: -q -x maxframes=1 */
syscall::read:entry { stack(); ustack(9); }
