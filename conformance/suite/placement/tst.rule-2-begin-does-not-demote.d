/* strlen("at") is 2. */
/* @@ kernel: nonempty */
BEGIN
{
	needle = "a";
	where = strstr("cat", needle);
	limit = strlen(where);
}

syscall::read:entry
/arg0 == limit/
{
	@[execname] = count();
}
