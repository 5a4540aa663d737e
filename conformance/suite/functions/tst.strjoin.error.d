self string s;
syscall::write:entry
{
	printf("%s", strjoin("a", self->s));
}
syscall::write:entry
{
	printf("%s", strjoin(self->s, "a"));
}
