self string s;
syscall::write:entry
{
	printf("%s", strrchr(self->s, 'a'));
}
