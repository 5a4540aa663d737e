#pragma D option aggpack=perhaps
BEGIN
{
	exit(0);
}
