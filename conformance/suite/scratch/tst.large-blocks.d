/* Blocks far larger than the 32 KiB that the kernel gives a CPU in one value: read, printed and traced whole. */
/* @@ kernel: nonempty */
/* @@ args: -q -x printsize=64k */
struct large { char head[4]; char zeros[20476]; int last; };
struct larger { int64_t first; char zeros[65520]; int64_t last; };
syscall::write:entry
{
	print((struct large *)arg0);
	print((struct larger *)arg1);
	tracemem(arg0, 20484, 3);
	tracemem(arg1, 300000, 1);
}
