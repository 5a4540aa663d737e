/* @@ args: -q -x cpu=1 */
/* @@ kernel: nonempty */
syscall::read:entry { printf("%d ", arg1); }
