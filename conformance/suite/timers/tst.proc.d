/* @@ kernel: nonempty */
proc:::exec
{
	self->path = copyinstr(arg0);
}

proc:::exec-success
/self->path != NULL/
{
	printf("%d runs %s as %s\n", pid, self->path, execname);
	self->path = 0;
}

proc:::exec-failure
{
	printf("%d cannot: %d\n", pid, arg0);
	self->path = 0;
}

proc:::exit
{
	@[execname, arg0] = count();
}
