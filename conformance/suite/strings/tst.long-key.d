/* Keys that differ only far behind; long ones are not cut when printed. */
/* @@ kernel: nonempty */
syscall::openat:entry
{
	@[copyinstr(arg1)] = count();
}
