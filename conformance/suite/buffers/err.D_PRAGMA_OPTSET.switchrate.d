#pragma D option switchrate=often
BEGIN
{
	exit(0);
}
