/* A constant beyond strsize is whole in the program: its bytes and its rests are known, and a copy of it is cut. */
/* @@ args: -q -x strsize=10 */
BEGIN
{
	printf("%s %d %d\n", "0123456789abcdef" + 12, "0123456789abcdef"[12], 12["0123456789abcdef"]);
	printf("%c %s [%s]\n", *("0123456789abcdef" + 15), ("0123456789abcdef" + 8) + 3, "0123456789abcdef" + 20);
	printf("%d %s %s\n", "0123456789abcdef"[16], "0123456789abcdef" + 3, "0123456789abcdef");
	printf("%d %d\n", strlen("0123456789abcdef"), strlen(2 + "0123456789abcdef"));
	exit(0);
}
