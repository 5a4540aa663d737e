syscall::write:entry
{
	uaddr(arg2);
	uaddr(arg3);
}
