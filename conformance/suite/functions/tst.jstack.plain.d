syscall::write:entry
/pid == 100/
{
	jstack();
}
