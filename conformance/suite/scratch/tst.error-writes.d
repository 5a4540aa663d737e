/* What an ERROR clause writes is there for the rest of the firing, and for no other event. */
/* @@ args: -qw */
syscall::write:entry { printf("%s ", copyinstr(arg1)); }
syscall::write:entry { trace(*(int *)copyin(8, 4)); }
syscall::write:entry { printf("%s\n", copyinstr(arg1)); }
ERROR { copyoutstr("new", 0x10000, 4); this->p = (char *)alloca(2); this->p[0] = 'N'; copyout(this->p, 0x10000, 1); }
