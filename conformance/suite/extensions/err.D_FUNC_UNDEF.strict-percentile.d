#pragma D option strict
BEGIN
{
	@ = percentile(1, 50);
}
