syscall::write:entry
{
	uaddr(arg0);
	uaddr(arg1);
}
