syscall::write:entry
{
	ufunc(arg2);
	ufunc(arg3);
	ufunc(0);
}
