/* {2,4,4,4,5,5,7,9}: mean 5, squares 232 / 8 = 29, 29 - 25 = 4. {-3, 3}: 9. One value: 0. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@[execname] = stddev(arg0);
}
