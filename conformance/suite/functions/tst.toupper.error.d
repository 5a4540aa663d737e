self string s;
syscall::write:entry
{
	printf("%s", toupper(self->s));
}
