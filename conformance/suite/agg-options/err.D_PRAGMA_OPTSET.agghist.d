#pragma D option agghist=perhaps
BEGIN
{
	exit(0);
}
