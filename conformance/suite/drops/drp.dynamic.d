/* 64 bytes hold two entries of 16 + 8 + 8. A store that does not fit ends its clause. */
/* @@ args: -q -x dynvarsize=64 */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@["before"] = count();
	seen[arg0] = 1;
	@["after"] = count();
}

syscall::read:entry
/seen[arg0]/
{
	printf("kept %d\n", arg0);
}
