/* Both sides are cut before they are compared. */
/* @@ args: -q -x strsize=4 */
/* @@ kernel: nonempty */
BEGIN
{
	want = "abcdefghij";
}

syscall::read:entry
/execname == want/
{
	@[execname] = count();
}
