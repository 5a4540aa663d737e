/* A key is converted to the type of its slot: 257 is 1 as a char. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	q[(char)1] = arg0;
	@[q[1], q[257]] = count();
}
