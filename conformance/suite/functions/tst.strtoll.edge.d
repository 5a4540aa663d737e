/* Nothing, blanks and a sign, a sign alone, the largest base, a digit that is none, a prefix of base 16; the least number, and one too many wraps. */
syscall::write:entry
{
	printf("%d %d %d %d %d %d\n", strtoll(""), strtoll(" \t+7x"), strtoll("-"), strtoll("zz", 36), strtoll("12", 2), strtoll("0x10", 16));
}
syscall::write:entry
{
	printf("%d %d\n", strtoll("-9223372036854775808"), strtoll("9223372036854775808"));
}
