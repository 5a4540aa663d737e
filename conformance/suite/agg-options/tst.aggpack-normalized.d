/* What stands behind a packed histogram is the sum of its buckets, normalized or not (runtime spec §7.11). */
#pragma D option quiet
#pragma D option aggpack
#pragma D option encoding=ascii

BEGIN
{
	@q[1] = quantize(5);
	@q[1] = quantize(5);
	@q[1] = quantize(5);
	@q[1] = quantize(5);
	@l[1] = lquantize(5, 0, 10, 5);
	@l[1] = lquantize(5, 0, 10, 5);
	normalize(@q, 2);
	normalize(@l, 2);
	exit(0);
}
