/* @@ args: -q -x placement=kernel */
/* @@ kernel: nonempty */
/* What must be printed can be in no kernel. */
syscall::read:entry { @ = sum(arg1); }
