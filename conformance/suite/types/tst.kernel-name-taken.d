/* kthread_t is the kernel's struct, whatever a program calls so before or after it. */
/* @@ kernel: nonempty */
/* @@ args: -q */
kthread_t *before;

struct task_struct {
	int zz;
};

kthread_t *after;

BEGIN
{
	before = curthread;
	after = before;
	printf("%d %d ", sizeof (struct task_struct), sizeof (kthread_t) == sizeof (*curthread));
	printf("%d %d\n", sizeof (after->comm), sizeof (((kthread_t *)0)->pid));
}

syscall::read:entry
{
	printf("%x\n", (uint64_t)(kthread_t *)curthread);
}
