/* Aggregations are printed together where each key of one could be the other's; keys of different sizes stay different keys. */
/* @@ kernel: nonempty */
/* @@ args: -q */

syscall::read:entry
{
	@a[pid, execname] = count();
	@b[arg0, "work"] = sum(arg1);
	@c[(char)7, execname] = max(arg1);
}

END
{
	printa("%d %s: %@d %@d %@d\n", @a, @b, @c);
	printa(@b, @a);
}
