/* @@ kernel: nonempty */
syscall::openat:entry
/strchr(copyinstr(arg1), 'b') != NULL/
{
	@[rindex(copyinstr(arg1), "bar"), toupper(strrchr(copyinstr(arg1), 'b')), cleanpath(copyinstr(arg1))] = sum(strtoll(lltostr(arg2)));
}
