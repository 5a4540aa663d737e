/* @@ args: -x bufpolicy=ring -x nspec=4 */
syscall::openat:entry { self->s = speculation(); }
syscall::openat:entry { speculate(self->s); printf("e%d", arg0); }
syscall::openat:return { speculate(self->s); printf("r%d", arg0); }
syscall::openat:return { commit(self->s); self->s = 0; }
