/* The members that variables of the language have need no look into the kernel. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	printf("%d %d %d %d %s %d\n", curpsinfo->pr_pid, curpsinfo->pr_ppid, curpsinfo->pr_uid, curpsinfo->pr_gid,
	    curpsinfo->pr_fname, curpsinfo->pr_zoneid);
	printf("%d %s %d %d %d\n", curlwpsinfo->pr_lwpid, curlwpsinfo->pr_name, curlwpsinfo->pr_onpro,
	    curlwpsinfo->pr_bindpro, curlwpsinfo->pr_wchan);
	@[curpsinfo->pr_fname, curlwpsinfo->pr_lwpid] = count();
}

BEGIN
{
	printf("%d %d %d\n", sizeof (curpsinfo), sizeof (fds[0].fi_oflags), sizeof (curlwpsinfo->pr_sname));
}
