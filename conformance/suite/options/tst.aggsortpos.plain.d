/* @@ args: -q -x aggsortpos=1 */
/* @@ kernel: nonempty */
syscall::read:entry { @a[arg0] = sum(arg1); @b[arg0] = sum(-arg0); }
END { printa("%d %@d %@d\n", @a, @b); }
