/* The language's own variables and functions keep their types, whatever a program calls so. */
/* @@ args: -q */
typedef char pid_t;
typedef char uint64_t;
typedef struct { int q; } uint16_t;
typedef char size_t;
typedef string uint32_t;
struct task_struct { int zz; };
BEGIN
{
	printf("%d %d %d|", sizeof (pid), sizeof (timestamp), sizeof (htons(1)));
	printf("%x %d %d\n", htons(0x1234), strlen("abc") + 1, sizeof (stackdepth));
}

syscall::read:entry
{
	printf("%d\n", pid);
	@[pid] = count();
}
