#pragma D option aggpercpu=perhaps
BEGIN
{
	exit(0);
}
