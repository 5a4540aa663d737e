syscall::write:entry
{
	commit(2);
}
syscall::write:entry
{
	commit(-1);
}
