/* Sums of squares of 2^127 and above, printed as unsigned. */
BEGIN
{
	this->m = -9223372036854775807LL - 1;
	@a = stddev(this->m);
	@a = stddev(this->m);
	@a = stddev(0LL);
	@a = stddev(0LL);
	@b = stddev(this->m);
	@b = stddev(this->m);
	@c = stddev(9223372036854775807LL);
	@c = stddev(9223372036854775807LL);
	@c = stddev(9223372036854775807LL);
	@d[1] = stddev(this->m);
	@d[1] = stddev(this->m);
	@d[2] = stddev(-3);
	@d[2] = stddev(3);
	exit(0);
}
