/* The ends of threads, and signals from the sender to the handler. */
/* @@ kernel: nonempty */
proc:::lwp-create
{
	printf("%d makes %x %x\n", tid, arg0, arg1);
}

proc:::lwp-start, proc:::lwp-exit
{
	printf("%s %d of %d\n", probename, tid, pid);
}

proc:::signal-send, proc:::signal-discard
/arg2 != SIGCHLD/
{
	printf("%s %d to %x\n", probename, args[2], arg1);
}

proc:::signal-handle
{
	printf("handle %d at %x\n", args[0], (uint64_t)args[2]);
}

proc:::signal-clear
{
	@clear[args[0]] = count();
}

proc:::fault
/args[0] == SIGSEGV/
{
	@fault[args[0], arg1] = count();
}
