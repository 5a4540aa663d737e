/* Nothing counted: the zero bucket and the next. A format overrides. The last bucket is not widened; the sum is divided. */
/* @@ args: -q -x aggpack -x encoding=ascii */
BEGIN
{
	@ = quantize(1);
	clear(@);
	printa(@);
	printa("%@d", @);
	@z[1] = quantize(0x7fffffffffffffff, 8);
	normalize(@z, 2);
	printa(@z);
	exit(0);
}
