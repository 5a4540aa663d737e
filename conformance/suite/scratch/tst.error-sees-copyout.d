/* An ERROR clause runs before the next clause: it reads what clauses before its fault have written, and only that. */
/* @@ args: -qw */
syscall::write:entry { trace(*(int *)copyin(8, 4)); }
syscall::write:entry { copyoutstr("one", arg1, 4); }
syscall::write:entry { trace(*(int *)copyin(8, 4)); }
syscall::write:entry { copyoutstr("two", arg1, 4); trace(*(int *)copyin(8, 4)); }
ERROR { printf("%d %s\n", arg2, copyinstr(0x10000)); }
