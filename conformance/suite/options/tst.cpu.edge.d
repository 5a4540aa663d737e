/* @@ args: -q -x cpu=2 */
/* @@ status: 1 */
/* @@ engines: interp jit rbpf */
/* There is none. */
syscall::read:entry { }
