/* @@ kernel: nonempty */
syscall::read:entry { printf("a%d ", arg0); }
syscall::read:entry { printf("b%d\n", arg0); }
syscall::write:entry { printf("w\n"); }
