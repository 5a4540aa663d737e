syscall::write:entry
{
	func(arg0);
	func(arg3);
}
