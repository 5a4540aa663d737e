/* Toward zero; the remainder has the dividend's sign; the smallest number by -1 is itself. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@[arg0 / arg1, arg0 % arg1] = count();
}
