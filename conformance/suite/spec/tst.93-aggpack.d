/* Runtime spec §19, line 93. */
/* @@ args: -q -x aggpack -x encoding=ascii */
BEGIN
{
	@["ls"] = quantize(1);
	@["ls"] = quantize(2);
	@["ls"] = quantize(2);
	@["ls"] = quantize(4);
	@["cat"] = quantize(8);
	@["cat"] = quantize(8);
	@["cat"] = quantize(8);
	@["cat"] = quantize(16);
	exit(0);
}
