syscall::write:entry
{
	umod(arg2);
	umod(arg3);
}
