/* @@ args: -q -x scratchsize=0 */
/* No byte of it: what is computed faults; what takes none does not. */
syscall::read:entry { this->p = alloca(0); printf("alloca(0)\n"); }
syscall::read:entry { this->p = alloca(arg0); printf("never"); }
syscall::read:entry { this->p = copyin(arg1, arg0); printf("never"); }
syscall::read:entry { this->p = copyin(arg1, arg0 - 1); printf("copyin of 0\n"); }
syscall::read:entry { printf("%s\n", copyinstr(arg1)); printf("%s\n", strjoin("a", "b")); }
ERROR { printf("fault %d\n", arg4); }
