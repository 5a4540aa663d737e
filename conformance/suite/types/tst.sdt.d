/* Trace events of the kernel, with the fields of their records. */
/* @@ kernel: nonempty */
sdt:sched::made_up_event
{
	printf("%s:%s::%s %s %d %d %x\n", probeprov, probemod, probename, stringof(args[0]), args[1], arg1,
	    (uint64_t)args[2]);
}

sdt:sched::made_up_event
/args[1] < 0/
{
	@[stringof(args[0])] = sum(args[1]);
}
