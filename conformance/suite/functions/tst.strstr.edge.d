/* The empty string is at the start of all; one longer than the rest is nowhere. */
syscall::write:entry
{
	printf("%s|%d|%d|%s|%s\n", strstr(copyinstr(arg1), ""), strstr(copyinstr(arg1), "bars") == NULL, strstr("", "a") == NULL, strstr("", ""), strstr(copyinstr(arg1), "foobarbar"));
}
