/* Delimiters at the ends; other delimiters, and another clause, go on; none; the empty string. foobarbar: ba, then rbar without b at its ends. */
syscall::write:entry
{
	this->t = strtok(copyinstr(arg1), "for");
	printf("%s|", this->t);
}
syscall::write:entry
{
	printf("%s|", strtok(NULL, "zb"));
	printf("%d|%s|%d\n", strtok(NULL, "a") == NULL, strtok("xyz", ""), strtok("", "x") == NULL);
}
