/* One number that user space gives takes all of them there (rule 17). */
/* @@ args: -q -x nspec=2 */
syscall::read:entry
/index(execname, probefunc) < 0/
{
	self->s = speculation();
	speculate(self->s);
	printf("read %d of %d\n", arg0, self->s);
}

syscall::write:entry
{
	self->s = speculation();
	speculate(self->s);
	printf("write %d of %d\n", arg0, self->s);
}

syscall::read:return,
syscall::write:return
{
	commit(self->s);
	self->s = 0;
}
