/* A stack taken at one probe and printed at another. */
/* @@ kernel: nonempty */
syscall::read:entry { self->s = stack(2); self->u = ustack(2); last = stack(1); at[arg0] = ustack(1); }
syscall::write:entry { printf("%k%k", self->s, self->u); @[self->s, self->u] = count(); self->s = 0; self->u = 0; }
syscall::close:entry { printf("%k|", self->s); trace(last); trace(at[1]); trace(at[7]); last = 0; }
syscall::close:return /last == 0/ { printf("none"); trace(last); }
