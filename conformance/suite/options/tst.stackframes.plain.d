/* @@ args: -q -x stackframes=1 */
syscall::read:entry { stack(); stack(2); }
