/* An array of unsigned characters is no text: as a key all its bytes count, as those of a struct do, and are dumped. */
struct t { uint8_t m[6]; };
struct to { uint8_t m[6]; };
translator struct to < struct t *p > { m = p->m; };
struct t v;

syscall::read:entry
{
	this->t = (struct t *)arg0;
	@mac[this->t->m] = count();
	@by[execname, this->t->m] = sum(arg1);
	x[this->t->m]++;
	v = *this->t;
	x[v.m] += 10;
	x[xlate<struct to *>(this->t)->m] += 100;
	printf("%d %s\n", x[this->t->m], stringof(this->t->m));
}

END
{
	printa(@mac, @mac);
}
