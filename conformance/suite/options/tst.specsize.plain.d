/* @@ args: -q -x specsize=64 */
/* The string counts with strsize. */
syscall::read:entry { self->s = speculation(); }
syscall::read:entry { speculate(self->s); printf("%s", execname); }
syscall::read:entry { speculate(self->s); printf("%d ", arg1); }
syscall::read:entry { commit(self->s); }
