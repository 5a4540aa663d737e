/* A last step that is not whole counts as beyond the limit; the least and the most. */
/* @@ kernel: nonempty */
syscall::write:entry
{
	@ = lquantize(arg0, -10, 11, 5, arg1);
}
