/* strlen of NULL faults in user space: the count after it must not have happened. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	this->s = strstr(execname, copyinstr(arg1));
	this->n = strlen(this->s);
	@["after"] = count();
}

syscall::read:entry
{
	@["all"] = count();
}
