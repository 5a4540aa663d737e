/* 64 bytes hold two entries of 16 + 8 + 8. A clear by a timer is a cut. */
/* @@ args: -q -x aggsize=64 */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@[arg0] = count();
}

tick-1ms
{
	printf("cut\n");
	printa("%d %@d\n", @);
	trunc(@);
}
