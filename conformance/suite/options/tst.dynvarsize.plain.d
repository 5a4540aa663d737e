/* @@ args: -q -x dynvarsize=64 */
/* @@ kernel: nonempty */
/* Two elements of 16 + 8 + 8 bytes. */
syscall::read:entry { seen[arg0] = 1; }
syscall::read:entry /seen[arg0]/ { printf("%d ", arg0); }
