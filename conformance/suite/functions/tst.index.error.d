self string s;
syscall::write:entry
{
	printf("%d", index(self->s, "a"));
}
syscall::write:entry
{
	printf("%d", index("a", self->s));
}
