#pragma D option strict
BEGIN
{
	trace(strerror(1));
}
