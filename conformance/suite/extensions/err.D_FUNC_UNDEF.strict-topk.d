#pragma D option strict
BEGIN
{
	@ = topk(1, 1);
}
