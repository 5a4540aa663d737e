/* @@ args: -F -x nspec=2 */
/* A speculated row shows the CPU and the probe that recorded it; speculate() alone records an empty row; commit() has no
 * row of its own. */
syscall::read:entry
{
	self->s = speculation();
	speculate(self->s);
	trace(arg0);
}
syscall::read:entry
{
	speculate(self->s);
}
syscall::read:return
{
	commit(self->s);
}
