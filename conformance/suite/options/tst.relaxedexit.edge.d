/* @@ args: -q -x relaxedexit=no */
/* @@ kernel: nonempty */
/* @@ status: 3 */
syscall::read:entry { @ = sum(arg1); }
END { exit(3); }
