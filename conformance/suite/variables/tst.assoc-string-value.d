/* @@ kernel: nonempty */
syscall::openat:entry
{
	name[pid, arg0] = copyinstr(arg1);
}

syscall::read:entry
/name[pid, arg0] != NULL/
{
	@[name[pid, arg0]] = count();
}
