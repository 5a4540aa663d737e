syscall::write:entry
{
	mod(arg1);
	mod(arg2);
}
