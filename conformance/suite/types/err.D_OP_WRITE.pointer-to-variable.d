/* Nothing is stored to a variable through a pointer. */
int a[4];
int *p;

BEGIN
{
	p = a;
	*p = 4;
}
