/* 64 bytes hold two entries of 16 + 8 + 8. They bound what is updated between two cuts, and printa is one. */
/* @@ args: -q -x aggsize=64 */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@[arg0] = count();
}

syscall::write:entry
{
	printf("cut\n");
	printa("%d %@d\n", @);
}
