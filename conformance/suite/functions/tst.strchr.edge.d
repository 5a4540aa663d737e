/* Nowhere, the NUL, bytes above 127, and no more than a byte counts. */
syscall::write:entry
{
	printf("%d %d %d %s|%s\n", strchr(copyinstr(arg1), 'x') == NULL, strchr(copyinstr(arg1), 0) == NULL, strchr("", 'a') == NULL, strchr("a\xff", (char)-1), strchr(copyinstr(arg1), 0x100 + 'f'));
}
