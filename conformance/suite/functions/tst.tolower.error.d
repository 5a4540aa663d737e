self string s;
syscall::write:entry
{
	printf("%s", tolower(self->s));
}
