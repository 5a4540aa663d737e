/* @@ args: -qF */
syscall::read:entry { printf("[in]"); }
syscall::read:return { printf("[out]\n"); }
