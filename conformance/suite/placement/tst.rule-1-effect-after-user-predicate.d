/* A needle that is no constant is searched in user space; the variable follows its writer there. */
/* @@ kernel: nonempty */
syscall::read:entry
/index(execname, copyinstr(arg1)) >= 0/
{
	@hit[execname] = count();
	hits++;
}

syscall::write:entry
/hits/
{
	printf("%d\n", hits);
}
