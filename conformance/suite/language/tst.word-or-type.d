/* What can be a type or an expression is decided by what the word is. */
/* @@ args: -q */
int w;

BEGIN
{
	w = 300;
	y = 7;
	/* A variable: subtraction, product, conjunction, sum. */
	printf("%d %d %d %d\n", (w)-y, (w)*y, (w)&y, (w)+y);
	/* A type: signs and casts; 300 is 44 in eight bits. */
	printf("%d %d %d\n", (uint8_t)-y, (uint8_t)(w), (uint8_t)+w);
	printf("%d %d\n", (uint8_t)~y, (uint8_t)w + 1);
	printf("%d %d\n", (uint8_t)(uint16_t)(w), (uint16_t)(uint8_t)-1);
	printf("%d %d %d\n", sizeof (uint16_t), sizeof (w), sizeof (uint16_t) - 1);
	printf("%d\n", w ? (uint8_t)(w) : (w)*y);
	exit(0);
}
