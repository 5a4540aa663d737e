/* A probe's name, memory, a command name and a constant: four layouts of one key. */
/* @@ kernel: nonempty */
syscall::read:entry, syscall::write:entry
{
	@[probefunc] = count();
}

syscall::openat:entry
{
	@[copyinstr(arg1)] = count();
}

syscall::close:return
{
	@[execname] = count();
}

END
{
	@["read"] = count();
}
