syscall::write:entry
{
	usym(arg0);
	usym(arg1);
}
