/* @@ args: -q -x strict=no */
BEGIN
{
	@ = topk(0, "x");
}
