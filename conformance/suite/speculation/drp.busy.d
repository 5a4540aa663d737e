/* @@ args: -q -x cleanrate=1ms */
/* A number is busy for the cleaning period. */
syscall::read:entry
{
	self->s = speculation();
	printf("%d\n", self->s);
	discard(self->s);
}
