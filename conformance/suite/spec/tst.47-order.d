/* Runtime spec §19, line 47. */
BEGIN
{
	@["b"] = sum(2);
	@["a"] = sum(1);
	@["c"] = sum(1);
	exit(0);
}
