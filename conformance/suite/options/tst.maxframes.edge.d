/* @@ args: -q -x maxframes=127 */
/* The most. */
syscall::read:entry { stack(); ustack(9); }
