/* A predicate over several lines. */
syscall::read:entry
/execname == "cat" &&
arg2 > 0/
{ printf("%d", arg2); }
