/*
 * Arguments of system calls have the types that the calls declare, and no mark: they are compared with, subtracted from and
 * kept beside pointers of such a type (language spec §5.5, runtime spec §15.4).
 */
#pragma D option quiet

self struct stat *st;
inline long ino[struct stat *s] = s->st_ino;

syscall::write:entry /args[1] == (char *)arg1/ { printf("%d %d\n", args[1] - (char *)arg1, args[1] == "one"); }
syscall::newfstat:entry { self->st = args[1]; printf("%d\n", ino[args[1]]); }
syscall::newfstat:return { printf("%d\n", self->st->st_ino); self->st = 0; }
