/* @@ args: -q -Z */
/* A clause that waits for a probe is checked and enabled when the probe appears; state goes on. */
int n;

app:::start
{
	self->name = stringof(args[0]);
	this->n = args[1];
	n = n + args[1];
	@starts[self->name] = sum(args[1]);
	printf("start %s %d\n", self->name, this->n);
}

app:::stop
/self->name != NULL/
{
	printf("stop %s after %d\n", self->name, n);
	@stops = count();
}

syscall::read:entry
{
	n++;
	@reads = count();
	self->seen = n;
}

tick-1ms
{
	ticks++;
}

END
{
	printf("n %d, ticks %d\n", n, ticks);
	printa("%s %@d\n", @starts);
	printa("stops %@d\n", @stops);
	printa("reads %@d\n", @reads);
}
