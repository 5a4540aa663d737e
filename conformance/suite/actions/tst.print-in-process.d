/* @@ kernel: nonempty */
syscall::write:entry
{
	print((int *)arg1);
	print((uint64_t *)(arg1 + 4));
}
