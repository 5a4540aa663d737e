/* @@ kernel: nonempty */
self string s;

syscall::read:entry
{
	@[strlen(self->s)] = count();
}
