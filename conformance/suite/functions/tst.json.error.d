self string s;
syscall::write:entry
{
	printf("%s", json(self->s, "a"));
}
syscall::write:entry
{
	printf("%s", json("{}", self->s));
}
