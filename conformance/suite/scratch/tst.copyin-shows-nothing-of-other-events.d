/* @@ args: -q */
/* @@ kernel: nonempty */
/* Behind the bytes of a copyin, up to the eighth, are zeros, whatever an earlier event or an earlier block has left there. */
syscall::read:entry
{
	this->p = (char *)copyin(arg1, arg2);
	printf("[%s] %d %d\n", stringof(this->p), this->p[1], this->p[5]);
	@[stringof(copyin(arg1, arg2)), strlen(stringof(copyin(arg1, arg2)))] = count();
}

syscall::read:entry
/stringof(copyin(arg1, arg2)) == "a"/
{
	printf("%s\n", toupper(stringof(copyin(arg1, arg2))));
	self->q = stringof(copyin(arg1, arg2));
	printf("%s %x\n", self->q, *(int *)copyin(arg1, arg2));
}
