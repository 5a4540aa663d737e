/* Tracepoints of the kernel with the arguments of their prototypes. */
/* @@ kernel: nonempty */
struct made_up {
	int a;
	char name[4];
};

rawtp:::sched_switch
{
	printf("%s %s %d %d %x %s\n", probeprov, probename, arg0, args[0], (uint64_t)args[1],
	    ((struct made_up *)args[2])->name);
}
