/* @@ args: -q -x bufpolicy=ring -x temporal */
/* @@ kernel: nonempty */
/* By time. */
syscall::read:entry { printf("%d %d\n", cpu, arg1); }
