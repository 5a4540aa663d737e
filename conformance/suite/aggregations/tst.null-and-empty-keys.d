/* A key that is NULL comes before one that is the empty string, whichever was counted first. */
/* @@ args: -q --format json */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@a[""] = count();
	@a[strstr("a", "b")] = count();
}

syscall::read:entry
{
	@b[strstr("a", "b")] = count();
	@b[""] = count();
}
