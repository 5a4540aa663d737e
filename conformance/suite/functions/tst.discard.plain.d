/* What is discarded is not printed, and its number is free once it is cleaned. */
syscall::write:entry
/arg0 == 1/
{
	self->s = speculation();
	speculate(self->s);
	printf("not this");
}
syscall::write:entry
/arg0 == 1/
{
	discard(self->s);
}
syscall::write:entry
/arg0 == 2/
{
	printf("%d", speculation());
}
