/* @@ args: -q -x specsize=0 */
/* No room at all. */
syscall::read:entry { self->s = speculation(); }
syscall::read:entry { speculate(self->s); printf("%d ", arg1); }
syscall::read:entry { commit(self->s); }
