/* The kernel's structs stay what they are to built-ins and the library, whatever a program calls so. */
/* @@ kernel: nonempty */
/* @@ args: -q */
struct task_struct {
	int zz;
};
struct file {
	int q;
};

BEGIN
{
	printf("%d %d %d\n", sizeof (struct task_struct), sizeof (curthread->comm), sizeof (fds[0].fi_oflags));
	printf("%d %d\n", sizeof (struct file), fds[-1].fi_oflags);
}

syscall::read:entry
{
	printf("%d %s %x\n", curpsinfo->pr_pid, curpsinfo->pr_fname, (uint64_t)curthread);
}
