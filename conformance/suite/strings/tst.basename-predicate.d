/* @@ kernel: nonempty */
syscall::openat:entry
/basename(copyinstr(arg1)) == "passwd"/
{
	@[dirname(copyinstr(arg1))] = count();
}
