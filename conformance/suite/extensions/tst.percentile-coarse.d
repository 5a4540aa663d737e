/*
 * 1000 is in the bucket from 1000 to 1007, 1000000 in that from 999424 to 1007615: their middles are 1003 and 1003519, but
 * no percentile is above the greatest value.
 */
/* @@ args: -q -x strict=no */
syscall::read:entry
{
	@ = percentile(arg0, 50, 100);
	normalize(@, 10);
}
END
{
	printa("%@d %@d %@d|", @);
}
