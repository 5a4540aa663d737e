/* A semicolon right after a closing brace. */
syscall::read:entry
{
	printf("a");
};
syscall::write:entry
{
	printf("b");
};
