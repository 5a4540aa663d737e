/* In a module without a symbol, and nowhere. */
syscall::write:entry
{
	func(arg1);
	func(arg2);
	func(0);
	func(-1);
}
