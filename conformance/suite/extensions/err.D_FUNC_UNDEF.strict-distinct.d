#pragma D option strict
BEGIN
{
	@ = distinct(1);
}
