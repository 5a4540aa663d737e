BEGIN
{
	printf("%d %d %d %d\n", 0x1F, 017, 'a', 'ab');
	printf("%d %d %d\n", sizeof (1), sizeof (2147483648), sizeof (1u));
	printf("%s|%s\n", "tab\there", "a\x41\102\q");
	exit(0);
}
