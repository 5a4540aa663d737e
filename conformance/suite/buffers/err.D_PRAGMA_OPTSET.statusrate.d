#pragma D option statusrate=often
BEGIN
{
	exit(0);
}
