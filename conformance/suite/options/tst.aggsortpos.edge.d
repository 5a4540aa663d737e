/* @@ args: -q -x aggsortpos=2 */
/* @@ kernel: nonempty */
/* There is no third aggregation: the first counts. */
syscall::read:entry { @a[arg0] = sum(arg1); @b[arg0] = sum(-arg0); }
END { printa("%d %@d %@d\n", @a, @b); }
