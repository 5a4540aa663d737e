#pragma D option aggzoom=perhaps
BEGIN
{
	exit(0);
}
