/* A computed index beyond the array is a fault. */
/* @@ kernel: nonempty */
struct s {
	int a[3];
} v;

syscall::read:entry
{
	v.a[arg0] = 1;
	trace(v.a[arg0]);
}

ERROR
{
	printf(" fault %d value %d\n", arg4, arg5);
}
