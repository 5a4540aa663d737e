#pragma D option strict
BEGIN
{
	trace(strftime("%F", 0));
}
