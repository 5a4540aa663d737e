self string s;
syscall::write:entry
{
	printf("%d", rindex(self->s, "a"));
}
syscall::write:entry
{
	printf("%d", rindex("a", self->s));
}
