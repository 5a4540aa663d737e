/* Signs draw from the middle; the column is normalized, the bars are not; max() is printed as ever. */
/* @@ args: -q -x agghist */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@[arg1] = sum(arg0);
	@m[arg1] = max(arg0);
	normalize(@, 2);
}
