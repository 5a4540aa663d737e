syscall::write:entry
{
	printf("%d %d %d %s\n", strrchr(copyinstr(arg1), 'x') == NULL, strrchr(copyinstr(arg1), 0) == NULL, strrchr("", 'a') == NULL, strrchr(copyinstr(arg1), 'f'));
}
