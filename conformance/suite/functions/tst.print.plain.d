/* @@ kernel: nonempty */
struct pt { int x; char c[6]; };
syscall::write:entry
{
	print((struct pt *)arg1);
	print(*(struct pt *)arg1);
	printf("\n");
	print(arg2);
}
