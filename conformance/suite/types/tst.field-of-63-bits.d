/*
 * The widest unsigned bit-field that is no whole word.
 */
struct wide {
	unsigned long c:63;
};

struct wide w;

BEGIN
{
	w.c = -1;
	trace(w.c);
	w.c++;
	trace(w.c);
	exit(0);
}
