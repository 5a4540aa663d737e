/* Failed speculations of the kernel's numbers and of the tracer's clauses are counted alike, all in one. */
/* @@ args: -q -x cleanrate=1s */
/* @@ kernel: nonempty */
BEGIN
{
	g = speculation();
	g = speculation();
}

syscall::read:entry
/speculation()/
{
	printf("never\n");
}

syscall::write:entry
{
	discard(1);
}

syscall::write:return
/speculation()/
{
	printf("free again at %d\n", timestamp);
}
