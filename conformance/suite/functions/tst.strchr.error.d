self string s;
syscall::write:entry
{
	printf("%s", strchr(self->s, 'a'));
}
