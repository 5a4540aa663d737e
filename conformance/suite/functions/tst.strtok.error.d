/* Before any string, and without delimiters. */
syscall::write:entry
{
	printf("%s", strtok(NULL, ","));
}
self string s;
syscall::write:entry
{
	printf("%s", strtok("a", self->s));
}
