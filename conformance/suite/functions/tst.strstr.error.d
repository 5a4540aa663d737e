self string s;
syscall::write:entry
{
	printf("%s", strstr(self->s, "a"));
}
syscall::write:entry
{
	printf("%s", strstr("a", self->s));
}
