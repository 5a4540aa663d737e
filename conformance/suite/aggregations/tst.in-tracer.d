BEGIN
{
	@["b"] = sum(2);
	@["a"] = sum(1);
	@["c"] = sum(1);
	@k[1, (char)-1, "k"] = sum(7);
	@e = min(3);
	@e = min(-4);
	exit(0);
}
