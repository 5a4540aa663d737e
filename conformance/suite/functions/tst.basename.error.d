self string s;
syscall::write:entry
{
	printf("%s", basename(self->s));
}
