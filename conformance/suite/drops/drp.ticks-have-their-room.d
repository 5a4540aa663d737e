/*
 * 64 bytes hold two keys of 16 + 8 + 8 bytes. What a clause does for a probe of the tracer is counted apart from what it
 * does for a system call: two keys of each. Of @all BEGIN takes the room that the ticks do not find.
 */
/* @@ args: -q -x aggsize=64 -x statusrate=0 */
/* @@ kernel: nonempty */
BEGIN
{
	@all[100] = count();
	@all[101] = count();
	@all[102] = count();
	@one[-1] = count();
}

BEGIN, syscall::read:entry, tick-10ms
{
	@one[arg0] = count();
}

syscall::read:entry
{
	@all[arg0] = count();
}

tick-10ms
{
	@all[200] = count();
}
