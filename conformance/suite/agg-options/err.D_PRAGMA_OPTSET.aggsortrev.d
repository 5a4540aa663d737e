#pragma D option aggsortrev=perhaps
BEGIN
{
	exit(0);
}
