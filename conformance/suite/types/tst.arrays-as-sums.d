/* `*(a + n)` and `n[a]` are `a[n]`: an index beyond the end is a fault, and elements are the same. */
/* @@ kernel: nonempty */
struct s { int l[3]; int after; };
struct s v;
int a[3], m[2][3];

syscall::read:entry
{
	i = (int)arg0;
	a[i] = 1;
	*(a + i) += 10;
	i[a] += 100;
	*(2 - (2 - i) + a) += 1000;
	v.l[i] = a[i];
	v.after = -1;
	m[1][i] = 5;
	printf("%d %d %d %d", a[i], *(v.l + i), *(i + v.l), *(m[1] + i));
	this->p = (struct s *)alloca(sizeof (struct s));
	this->p->l[i] = 7;
	printf(" %d %d\n", *(this->p->l + i), i[this->p->l]);
}

syscall::write:entry
{
	i = (int)arg0;
	printf("%d\n", *(v.l + i));
}

syscall::open:entry
{
	i = (int)arg0;
	*(a - i) = 1;
	printf("not here\n");
}

syscall::close:entry
{
	i = (int)arg0;
	this->p = (struct s *)alloca(sizeof (struct s));
	printf("%d\n", *(this->p->l + i));
}
