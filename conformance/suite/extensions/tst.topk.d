/* Entries go by the count of the most frequent value: 1, 2 and 2. */
/* @@ args: -q -x strict=no */
syscall::read:entry
{
	@ = topk(2, execname);
	@i[execname] = topk(3, arg0);
}
