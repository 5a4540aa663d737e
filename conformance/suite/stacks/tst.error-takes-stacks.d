/* An ERROR clause takes the stacks of the event that faulted, as rows, values and keys. */
/* @@ args: -q */
/* @@ kernel: nonempty */
syscall::read:entry { trace(copyinstr(arg0)); }
ERROR
{
	printf("%d:", arg4);
	stack(2);
	ustack(3);
	jstack(1);
	n = stack();
	printf("%k", n);
	@[ustack(1)] = count();
}
