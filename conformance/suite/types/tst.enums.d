/* Enumerators are constants, values of an enum are integers of 32 bits. */
enum hue {
	RED = 1,
	BLUE,
	GREEN = BLUE * 8 - 20
};
enum hue h;
int a[BLUE];

BEGIN
{
	h = GREEN;
	a[RED] = 7;
	printf("%d %d %d %d %d %d", BLUE, h, h == GREEN, h < RED, sizeof (h), a[1]);
}
