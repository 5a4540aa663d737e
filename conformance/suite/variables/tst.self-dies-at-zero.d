/* @@ kernel: nonempty */
self int64_t depth;

syscall::read:entry { self->depth++; }
syscall::write:entry { self->depth--; }
syscall:::entry { printf("%d ", self->depth); }
END { printf("\n"); }
