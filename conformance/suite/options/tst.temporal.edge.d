/* @@ args: -q -x bufpolicy=ring -x temporal -x temporal=no */
/* @@ kernel: nonempty */
/* Off again: by CPU. */
syscall::read:entry { printf("%d %d\n", cpu, arg1); }
