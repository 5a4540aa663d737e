/* @@ kernel: nonempty */
syscall::write:entry
{
	printf("%s\n", strjoin("<", strjoin(copyinstr(arg1), ">")));
}
