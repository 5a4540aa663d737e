/* @@ kernel: nonempty */
string last;

syscall::read:entry
/execname != last/
{
	printf("%s after [%s]\n", execname, last);
}

syscall::read:entry
{
	last = execname;
}
