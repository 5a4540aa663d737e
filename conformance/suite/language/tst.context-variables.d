/* @@ kernel: nonempty */
syscall::read:entry
{
	printf("%s %d %d %d %d %d %d\n", execname, pid, tid, ppid, uid, gid, cpu);
	@[execname, pid, tid, ppid, uid, gid] = count();
}
