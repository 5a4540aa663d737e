/* @@ kernel: nonempty */
self string s;

syscall::openat:entry
{
	self->s = copyinstr(arg1);
}

syscall::read:entry
{
	printf("%d %d %d\n", self->s == NULL, self->s == "", self->s != NULL && strlen(self->s) == 0);
}
