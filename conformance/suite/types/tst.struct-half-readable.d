/* A struct whose end cannot be read is not assigned at all. */
/* @@ args: -q */
struct e {
	int a;
	int b;
};
struct e v, w[int];

syscall::read:entry
{
	v.a = 1;
	v.b = 2;
	w[1] = v;
	self->v = v;
}

syscall::read:entry
{
	v = *(struct e *)arg1;
}

syscall::read:entry
{
	w[1] = arg0 ? *(struct e *)arg1 : v;
}

syscall::read:entry
{
	self->v = *(struct e *)arg1;
}

syscall::read:entry
{
	printf("%x %x, %x %x, %x %x\n", v.a, v.b, w[1].a, w[1].b, self->v.a, self->v.b);
}
