/* @@ kernel: nonempty */
int64_t calls;

syscall::read:entry
{
	calls++;
}

syscall::read:entry
/calls == 3/
{
	@["third"] = sum(arg0);
}

END
{
	printf("%d calls\n", calls);
}
