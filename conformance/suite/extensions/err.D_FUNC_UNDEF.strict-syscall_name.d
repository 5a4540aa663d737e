#pragma D option strict
BEGIN
{
	trace(syscall_name(1));
}
