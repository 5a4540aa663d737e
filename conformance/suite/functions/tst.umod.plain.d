syscall::write:entry
{
	umod(arg0);
	umod(arg1);
}
