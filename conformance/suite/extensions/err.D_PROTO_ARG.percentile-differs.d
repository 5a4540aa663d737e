/* @@ args: -q -x strict=no */
BEGIN
{
	@ = percentile(1, 50);
	@ = percentile(1, 60);
}
