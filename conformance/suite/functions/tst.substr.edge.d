/* From the end; from before the start, what is left of the count; at the end; counts from the end. */
syscall::write:entry
{
	printf("%s|%s|%s|%s|%s|%s|%s\n", substr(copyinstr(arg1), -4, 2), substr(copyinstr(arg1), -12, 4), substr(copyinstr(arg1), -12, 3), substr(copyinstr(arg1), 9), substr(copyinstr(arg1), 1, -6), substr(copyinstr(arg1), 1, -8), substr(copyinstr(arg1), 0, 0));
}
