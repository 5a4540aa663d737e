#pragma D option strict
BEGIN
{
	trace(signal_name(1));
}
