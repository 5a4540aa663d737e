/* A zero store frees the entry for another key. */
/* @@ args: -q -x dynvarsize=64 */
/* @@ kernel: nonempty */
syscall::read:entry { seen[arg0] = arg1; }
syscall::read:entry /seen[arg0]/ { printf("%d ", arg0); }
END { printf("\n"); }
