/* @@ args: -qw -x strsize=16 */
/* @@ bpf: writes */
/* @@ kernel: nonempty */
/*
 * What is written is made at the event, too: of memory of alloca and copyin, by bcopy and stores, of strings as long as
 * they can be. Of a string, a size that is computed cuts; scratch memory is zero when it is new, in each clause.
 */
string s;
syscall::write:entry
{
	this->p = (char *)alloca(8);
	bcopy("hey you", this->p, 4);
	bcopy(copyin(arg1, 2), this->p + 4, 2);
	this->p[6] = '!';
	copyout(this->p, arg1 + 8, 7);
	printf("%s|", copyinstr(arg1 + 8));
	copyinto(arg1 + 12, 3, this->p);
	copyout(this->p, arg1 + 24, 8);
	printf("%s\n", copyinstr(arg1 + 24));
}
syscall::write:entry
{
	this->q = (int *)alloca(12);
	copyout(this->q, arg1 + 1, 3);
	this->q[2] = 0x00434241;
	copyout(this->q + 2, arg1 + 1, 4);
	printf("%s|%x\n", copyinstr(arg1), *(int *)copyin(arg1 + 1, 4));
}
syscall::write:entry
{
	s = "0123456789abcdefghi";
	copyoutstr(s, arg1 + 64, arg2);
	printf("%s|", copyinstr(arg1 + 64));
	copyoutstr(s, arg1 + 64, 100);
	printf("%s|%d\n", copyinstr(arg1 + 64), *(char *)copyin(arg1 + 64 + strlen(s), 1));
	copyoutstr(execname, arg1 + 100, 50);
	copyoutstr(probefunc, arg1 + 104, 3);
	printf("%s\n", copyinstr(arg1 + 100));
}
syscall::write:entry
{
	this->p = alloca(200);
	this->q = alloca(100);
	copyout(this->p, arg1, 8);
}
syscall::write:entry
{
	this->p = alloca(8);
	copyout((char *)this->p + 4, arg1, 5);
}
syscall::write:entry
{
	copyout((void *)0xffff800000001000, arg1, 6);
	printf("%s\n", copyinstr(arg1));
}
