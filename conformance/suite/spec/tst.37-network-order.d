/* Runtime spec §19, line 37. */
/* @@ env: LC_ALL=C */
BEGIN
{
	printf("%x %x %x", htons(0x1234), htonl(0x12345678), htonll(1));
	exit(0);
}
