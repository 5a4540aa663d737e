/* Structs, unions and arrays in variables are recorded whole: their bytes as C lays them out, zeros between. */
struct inner { int low : 3; unsigned high : 5; short c; };
union word { int i; char b[5]; };
enum hue { RED = 1, BLUE };
typedef struct outer {
	char name[6];
	struct inner n;
	union word u;
	enum hue h;
	int m[2][3];
	struct inner *p;
	int (*f)(int);
	double d;
	string s;
	int flex[];
} outer_t;

outer_t v;
struct inner small;
int arr[4];
char text[8];

BEGIN
{
	v.name[0] = 'h';
	v.name[1] = 'i';
	v.n.low = -2;
	v.n.high = 17;
	v.n.c = 300;
	v.u.i = 0x01020304;
	v.u.b[4] = 'z';
	v.h = BLUE;
	v.m[0][0] = -1;
	v.m[1][2] = 7;
	v.p = (struct inner *)0x1000;
	v.s = "str";
	small.low = 1;
	small.high = 2;
	small.c = 3;
	arr[0] = 1;
	arr[3] = -1;
	text[0] = 'o';
	text[1] = 'k';
}

BEGIN
{
	trace(small);
	trace(arr);
	trace(text);
	trace(v.u);
}

BEGIN
{
	print(small);
	printf("\n");
	print(arr);
	printf("\n");
	print(text);
	printf("\n");
	print(v.u);
	printf("\n");
	print(v.m);
	printf("\n");
	print(v);
	printf("\n");
}

BEGIN
{
	/* The pointer form: the address is a number that no memory has. */
	print(&v.n);
	print(&v.m[1]);
}

BEGIN
{
	printf("%s|%s|%s|%d|%s|%s\n", text, v.name, v.u.b, strlen(text), strjoin(text, v.name), stringof(text));
	tracemem(arr, 8);
	tracemem(&v.n, 4);
	exit(0);
}
