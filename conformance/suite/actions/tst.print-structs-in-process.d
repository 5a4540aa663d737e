/* @@ kernel: nonempty */
/* @@ args: -q -x printsize=8 */
struct pair { int a; int b; };
struct three { struct pair first; int third; };
syscall::write:entry
{
	print((struct three *)arg1);
	print(*(struct pair *)arg1);
	trace(*(struct pair *)arg1);
}
