/* An ERROR clause that speculates needs the numbers in user space (rule 17). */
/* @@ args: -q -x nspec=1 */
syscall::read:entry
{
	self->s = speculation();
	speculate(self->s);
	printf("read %d of %d\n", arg0, self->s);
}

syscall::read:entry
/arg0 == 2/
{
	printf("%s\n", copyinstr(arg1));
}

syscall::read:return
{
	commit(self->s);
	self->s = 0;
}

ERROR
{
	discard(self->s);
	printf("discarded\n");
}
