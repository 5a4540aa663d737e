/* Six keys. */
syscall::read:entry { x = 4; @n["all", pid, execname, tid, cpu, uid] = sum(x); }
END { printa("%s %d %s %d %d %d %@d\n", @n); }
