/* curthread is an address like another; types of the kernel are there by name and with their scope. */
/* @@ kernel: nonempty */
struct made_up {
	int a;
	char name[4];
};

syscall::read:entry
{
	printf("%x %d %s\n", (uint64_t)curthread, ((struct made_up *)curthread)->a,
	    ((struct made_up *)curthread)->name);
}

BEGIN
{
	printf("%d %d %d %d\n", sizeof (curthread->comm), sizeof (*curthread) == sizeof (struct task_struct),
	    sizeof (vmlinux`pid_t), sizeof (struct vmlinux`task_struct *));
	printf("%d %d\n", (enum pid_type)1 == PIDTYPE_TGID, offsetof(struct list_head, prev));
}
