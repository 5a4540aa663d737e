syscall::write:entry
{
	printf("%s,", strtok(copyinstr(arg1), "a"));
	printf("%s,", strtok(NULL, "a"));
	printf("%s,%d\n", strtok(NULL, "a"), strtok(NULL, "a") == NULL);
}
