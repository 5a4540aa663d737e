/* A program of D may use the names of extensions for its variables. */
/* @@ args: -q -x strict=no */
BEGIN
{
	topk = 3;
	distinct = "x";
	self->percentile = topk;
	printf("%d %s %d\n", topk, distinct, self->percentile);
	exit(0);
}
