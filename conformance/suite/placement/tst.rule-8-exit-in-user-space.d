/* @@ kernel: nonempty */
int64_t n;

syscall::read:entry
{
	n++;
	self->last = arg0;
	seen[arg0] = 1;
	@ = count();
}

syscall::write:entry
/strstr(execname, copyinstr(arg1)) != NULL/
{
	exit(0);
}

END
{
	printf("%d %d %d\n", n, seen[1], seen[2]);
}
