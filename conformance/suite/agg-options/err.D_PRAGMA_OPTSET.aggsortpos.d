#pragma D option aggsortpos=x
BEGIN
{
	exit(0);
}
