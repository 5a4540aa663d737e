self string s;
syscall::write:entry
{
	printf("%s", substr(self->s, 1));
}
