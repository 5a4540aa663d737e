/* On a machine that is little-endian. */
/* @@ kernel: nonempty */
syscall::write:entry
{
	printf("%x\n", htons(arg0));
}
