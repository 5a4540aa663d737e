/* What is no descriptor is no open file, which takes no look into the kernel to know. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	printf("%s %d %s %o\n", fds[-1].fi_name, fds[-1].fi_offset, fds[-1].fi_fs, fds[-1].fi_oflags);
	@[fds[-1].fi_name] = count();
}
