#pragma D option temporal=perhaps
BEGIN
{
	exit(0);
}
