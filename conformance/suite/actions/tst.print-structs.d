/* Structs, unions, enums, bit-fields and arrays behind pointers; what is zero is left out. */
enum hue { RED = 3, BLUE };
struct inner { int a; };
struct outer {
	int x;
	char name[8];
	unsigned low : 3;
	int high : 5;
	enum hue c, d;
	struct inner list[2];
	union { int u; char c; } v;
	void *p;
	int *q;
};
BEGIN
{
	this->p = (struct outer *)alloca(sizeof (struct outer));
	print(this->p);
	this->p->x = 1;
	this->p->name[0] = 'o';
	this->p->name[1] = 'k';
	this->p->low = 5;
	this->p->high = -2;
	this->p->c = 4;
	this->p->d = 9;
	this->p->list[1].a = 7;
	this->p->v.u = 65;
	this->p->p = (void *)0x1234;
	print(this->p);
	print(*this->p);
	printf("\n");
	exit(0);
}
