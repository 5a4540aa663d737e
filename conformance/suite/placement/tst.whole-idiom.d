/* @@ kernel: nonempty */
syscall::openat:entry
/execname == "cat" && strstr(copyinstr(arg1), "/etc/") != NULL/
{
	self->ts = timestamp;
	self->flags = arg2;
}

syscall::openat:return
/self->ts/
{
	@lat[execname] = quantize(timestamp - self->ts);
	@calls[execname, self->flags, errno] = count();
	self->ts = 0;
	self->flags = 0;
}
