/* Names that a short string cuts to one are one key, whoever builds it. */
#pragma D option strsize=6
#pragma D option quiet

syscall:::entry
{
	@by_name[probefunc] = count();
	@by_both[execname, probefunc] = sum(arg0);
}
