/* @@ args: -q -x bufpolicy=ring -x temporal */
/* @@ kernel: nonempty */
/* @@ engines: interp jit rbpf */
/* By time. */
syscall::read:entry { printf("%d %d\n", cpu, arg1); }
