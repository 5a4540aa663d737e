#pragma D option aggsortkey=perhaps
BEGIN
{
	exit(0);
}
