syscall::write:entry
{
	printf("%d", strtoll("1", 37));
}
syscall::write:entry
{
	printf("%d", strtoll("1", 1));
}
self string s;
syscall::write:entry
{
	printf("%d", strtoll(self->s));
}
