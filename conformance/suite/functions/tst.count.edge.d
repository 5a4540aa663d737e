/* CPUs are added up, and every conversion of an integer shows the sum. */
/* @@ kernel: nonempty */
syscall::write:entry
{
	@[arg0] = count();
}
END { printa("%d %@d %@x %@5u|\n", @); }
