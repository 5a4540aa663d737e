/* Runtime spec §1.1: no row, and so no heading. */
/* @@ args:  */
/* @@ env: _DTRACE_TESTING=1 */
int x;
syscall::write:entry
{
	x = 1;
	self->y = x;
}
syscall::write:entry
{
	strlen("a");
}
syscall::write:entry
{
	@ = count();
}
syscall::write:entry
{
	commit(0);
}
syscall::write:entry
{
	discard(0);
}
syscall::write:entry
{
	speculate(0);
}
syscall::write:entry /0/ { trace(1); }
