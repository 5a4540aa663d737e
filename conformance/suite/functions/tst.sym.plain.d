syscall::write:entry
{
	sym(arg0);
	sym(arg3);
}
