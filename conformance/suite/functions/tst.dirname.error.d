self string s;
syscall::write:entry
{
	printf("%s", dirname(self->s));
}
