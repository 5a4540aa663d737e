/* A number is busy until the firing that has ended its turn is over, whoever keeps the numbers. */
/* @@ args: -q -x nspec=1 */
/* @@ kernel: nonempty */
syscall::read:entry
{
	self->s = speculation();
	printf("%d", self->s);
}

syscall::read:entry
{
	discard(self->s);
}

syscall::read:entry
{
	self->t = speculation();
	printf(" %d\n", self->t);
}
