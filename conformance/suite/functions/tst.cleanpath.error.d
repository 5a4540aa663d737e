self string s;
syscall::write:entry
{
	printf("%s", cleanpath(self->s));
}
