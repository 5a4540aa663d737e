/* In a module without a symbol, and nowhere. */
syscall::write:entry
{
	sym(arg1);
	sym(arg2);
	sym(0);
	sym(-1);
}
