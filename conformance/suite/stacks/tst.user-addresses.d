/* @@ kernel: nonempty */
syscall::read:entry { usym(arg0); ufunc(arg0); umod(arg0); uaddr(arg0); printf("|%A\n", arg0); }
