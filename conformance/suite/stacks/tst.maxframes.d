/* @@ args: -q -x maxframes=2 */
syscall::read:entry { stack(); ustack(50); trace(stackdepth); }
