syscall::write:entry
{
	ufunc(arg0);
	ufunc(arg1);
}
