/*
 * Within its body a struct is incomplete, also one whose tag the kernel has, too.
 */
struct list_head {
	struct list_head next;
};

BEGIN
{
	print((struct list_head *)0);
}
