/* A control line that only renumbers says nothing of headers, whatever its number: the inline and the arm stay. */
/* @@ args: -q */
#line 3
inline int x = 5;
# 10 "x.d" 3
inline int y = 6;

BEGIN
{
	if (1)
# 3
	{ trace(1); }
	trace(2);
#line 3 "tst.line-three.d"
	printf(" %d %d", x, y);
	exit(0);
}
