/* `?` is a flag like the others: what follows may be the flag `0`, or a width. */
BEGIN
{
	printf("[%?0d|%0?d|%?05d|%?0s|%?0.3d|%?-d|%-?d|%5?d|%?*d]", 7, 7, 7, "ab", 7, 7, 7, 7, 3, 7);
	exit(0);
}
