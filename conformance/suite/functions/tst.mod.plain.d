syscall::write:entry
{
	mod(arg0);
	mod(arg3);
}
