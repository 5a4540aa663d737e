/*
 * 64 bytes hold two keys of 16 + 8 + 8 bytes. What prints an aggregation that lives in user space makes room in no
 * aggregation of the kernel.
 */
/* @@ args: -q -x aggsize=64 */
/* @@ kernel: nonempty */
BEGIN
{
	@user[1] = count();
}

syscall::openat:entry
{
	@kernel[arg0] = count();
}

tick-10ms
{
	printa("%d %@d\n", @user);
}
