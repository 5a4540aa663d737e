syscall::write:entry
{
	usym(arg2);
	usym(arg3);
	usym(0);
}
