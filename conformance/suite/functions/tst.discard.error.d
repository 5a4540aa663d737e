syscall::write:entry
{
	discard(2);
}
syscall::write:entry
{
	discard(-1);
}
