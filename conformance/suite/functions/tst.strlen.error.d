self string s;
syscall::write:entry
{
	printf("%d", strlen(self->s));
}
