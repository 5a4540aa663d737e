/* @@ args: -q -x bufpolicy=ring */
/* @@ kernel: nonempty */
/* Printed at the end, CPU by CPU. */
syscall::read:entry { printf("%d %d\n", cpu, arg1); }
