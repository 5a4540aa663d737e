/*
 * What user space decides with registers is decided with those of the event: they are sent, once a clause.
 */
syscall::read:entry
/strlen(toupper(execname)) == uregs[R_RDX]/
{
	printf("%d %s %d\n", uregs[R_RDX], toupper(execname), uregs[R_RDX] + uregs[R_RCX]);
}

syscall::read:entry
{
	this->s = toupper(execname);
	x[this->s] = uregs[R_R9];
	@[x[this->s]] = sum(uregs[R_R8]);
}
/* @@ kernel: nonempty */
