/* @@ args: -q -x bufpolicy=fill -x bufsize=4k -x nspec=4 -x strsize=64 */
/* A record counts in the buffer of the CPU that it is of: all of them fit, half on either, though not on one. */
syscall::openat:entry { self->s = speculation(); }
syscall::openat:entry { speculate(self->s); printf("%d ", arg0); }
syscall::openat:return { commit(self->s); self->s = 0; }
