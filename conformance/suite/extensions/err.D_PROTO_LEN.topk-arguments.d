/* @@ args: -q -x strict=no */
BEGIN
{
	@ = topk(3);
}
