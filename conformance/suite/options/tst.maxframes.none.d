/* @@ args: -q -x maxframes=0 */
syscall::read:entry { stack(2); ustack(); printf("%d", stackdepth); }
