syscall::write:entry
{
	printf("%s|%s|%s|%s|%s|%s\n", lltostr(0), lltostr(-9223372036854775807 - 1), lltostr(-1, 16), lltostr(-1, 2), lltostr(35, 36), lltostr(8, 8));
}
syscall::write:entry
{
	printf("%s|%s\n", lltostr(-1, 10), lltostr(0, 8));
}
