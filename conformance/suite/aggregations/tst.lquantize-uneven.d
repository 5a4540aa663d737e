/* What does not fill a whole step counts as overflow. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@ = lquantize(arg0, 0, 10, 3);
}
