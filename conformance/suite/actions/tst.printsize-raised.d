/* @@ args: -q -x printsize=8 */
/* What setopt may come to is captured from the start; what it refuses changes nothing. */
struct t { int64_t a; int64_t b; };
BEGIN
{
	this->p = (struct t *)alloca(16);
	this->p->a = 1;
	this->p->b = 2;
	print(this->p);
	setopt("printsize", "9");
	print(this->p);
	setopt("printsize", "1m");
	print(this->p);
	setopt("printsize", "8");
	print(this->p);
	exit(0);
}
