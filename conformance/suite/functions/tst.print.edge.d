/* A member of zeros is left out, and what lies behind printsize is not looked at; a byte as it is; enumerators and none. */
/* @@ args: -q -x printsize=8 */
struct three { int a; int b; int c; };
enum hue { RED = 1 };
syscall::write:entry
{
	print((struct three *)arg1);
	print((char *)arg1);
	print((enum hue)1);
	print((enum hue)7);
	print("");
}
