/* A number that no speculation can have is a fault like any other: `ERROR` has the event's values and its stack. */
#pragma D option quiet

syscall::read:entry { commit(arg0); }
syscall::read:return { discard(arg0); }
syscall::write:entry /arg0/ { if (arg1) { commit(99); } }

ERROR
{
	printf("%s %d %d %x %d\n", execname, ppid, uid, ucaller, arg4);
	@[ustack(1), execname] = count();
}
ERROR /ucaller == 0x400200/ { printf("called from there\n"); }
