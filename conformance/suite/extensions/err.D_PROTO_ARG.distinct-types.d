/* @@ args: -q -x strict=no */
BEGIN
{
	@ = distinct(1);
	@ = distinct("x");
}
