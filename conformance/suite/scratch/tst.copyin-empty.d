/* A block of no bytes holds the empty string, wherever it was to be read from: of a computed size or a known one. */
syscall::read:entry
{
	printf("<%s>", stringof(copyin(arg1, arg2)));
	this->s = stringof(copyin(arg1, 0));
	printf("<%s> %d %d\n", this->s, strlen(this->s), this->s == "");
}

syscall::read:entry
/stringof(copyin(arg1, arg2)) != ""/
{
	@[stringof(copyin(arg1, arg2))] = count();
}

syscall::read:entry
{
	this->p = (char *)alloca(8);
	this->p[0] = 'x';
	this->q = (char *)copyin(arg1, arg2);
	printf("%s<%s>\n", stringof(this->p), stringof(this->q));
}
/* @@ kernel: nonempty */
