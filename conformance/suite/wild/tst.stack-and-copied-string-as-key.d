/* A stack, and a string copied from user memory, as keys. */
/* @@ args: -e */
syscall:::entry { @[stack(), copyinstr(arg1)] = count(); }
