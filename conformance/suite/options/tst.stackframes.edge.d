/* @@ args: -q -x stackframes=4294967295 */
/* More than there are. */
syscall::read:entry { stack(); stack(2); }
