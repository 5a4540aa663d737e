BEGIN
{
	trace($1);
}
/* @@ operands: 1 2 */
