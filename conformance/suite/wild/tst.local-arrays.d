/* Thread-local and clause-local arrays. */
syscall::read:entry { self->depth = 1; self->ts[self->depth] = 5; self->d[execname, 1] = "x"; }
syscall::read:return { printf("%d %s %d", self->ts[1], self->d["cat", 1], self->ts[2]); }
