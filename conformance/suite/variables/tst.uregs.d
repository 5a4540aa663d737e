/*
 * The registers of user space are integers like others: in predicates, keys, variables and memory accesses, behind an
 * inline, and in ERROR, where they are those of the event. An event may have its own; BEGIN has the tracer's.
 */
inline uint64_t where = uregs[R_PC];

BEGIN
{
	printf("%d %x %d\n", sizeof (uregs[0]), uregs[R_RSP], uregs[R_RAX]);
}

syscall::read:entry
/uregs[R_RDI] == arg0 && uregs[14] == 3/
{
	printf("%d %x %x %d %d %d\n", uregs[R_RDI], where, uregs[R_EIP], uregs[R_R15], uregs[R_TRAPNO], uregs[R_GS]);
	printf("%s\n", copyinstr(uregs[R_RSI]));
	@[uregs[R_RIP] & 0xfff, execname] = count();
	self->sp = uregs[R_SP];
}

syscall::read:return
/self->sp/
{
	printf("%x %x %d\n", self->sp, uregs[R_RSP], uregs[R_R0] == arg0);
	self->sp = 0;
}

syscall::close:entry
{
	n = *(int *)uregs[R_RBX];
}

ERROR
{
	printf("fault at %x, %x, %x\n", arg5, uregs[R_R1], where);
}
/* @@ kernel: nonempty */
