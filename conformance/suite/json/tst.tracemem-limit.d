/* What a limit cuts off is no part of the value. */
/* @@ args: --format json -q */
BEGIN
{
	this->p = (char *)alloca(4);
	this->p[0] = 0x61;
	this->p[1] = 0x62;
	tracemem(this->p, 4);
	tracemem(this->p, 4, 2);
	tracemem(this->p, 4, 0);
	tracemem(this->p, 4, 9);
	tracemem(this->p, 4, -1);
	exit(0);
}
