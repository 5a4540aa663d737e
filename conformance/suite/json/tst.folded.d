/* @@ args: --format folded */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@[execname, probefunc] = count();
	@q[arg0] = quantize(arg0, 3);
	@n = sum(arg0);
	printf("not shown");
}
