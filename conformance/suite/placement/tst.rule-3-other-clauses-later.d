/* @@ kernel: nonempty */
int64_t x;

syscall::read:entry { x = x + 1; }
syscall::read:entry { printf("%d ", x); }
syscall::read:entry { x = x * 2; }
syscall::read:entry { printf("%d\n", x); }
