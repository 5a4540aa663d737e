syscall::read:return { setopt("flowindent"); }
syscall::read:return { printf("x"); }
