/* A comma after the last probe. */
syscall::read:entry,
syscall::write:entry,
{ printf("%s ", probefunc); }
