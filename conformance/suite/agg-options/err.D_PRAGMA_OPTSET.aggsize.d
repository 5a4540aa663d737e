#pragma D option aggsize=1q
BEGIN
{
	exit(0);
}
