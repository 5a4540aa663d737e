/* Each record fits in 4096 bytes; that the kernel part sends both at once changes nothing. */
/* @@ args: -q -b 4k */
/* @@ kernel: nonempty */
syscall::read:entry { tracemem(arg1, 3000, 16); }
syscall::read:entry { tracemem(arg1, 3000, 8); }
