/* Translators from a number, from a structure in memory and from an argument of a probe; translations in translations; a whole translation in a variable. */
/* @@ kernel: nonempty */
struct raw { int first; short second; char text[8]; };
struct inner { int twice; };
struct view { long sum; string text; struct inner in; int unset; };

translator struct inner < int N > {
	twice = N * 2;
};

translator struct view < struct raw *R > {
	sum = R->first + R->second;
	text = stringof(R->text);
	in = xlate<struct inner>(R->first);
};

translator struct view < int64_t N > {
	sum = N;
	text = N == 3 ? "three" : "other";
};

inline struct view *number = xlate<struct view *>(arg0);
inline struct view of[int64_t n] = xlate<struct view>(n + 1);
struct view whole;

syscall::read:entry
{
	this->raw = (struct raw *)copyin(arg1, 16);
	this->view = xlate<struct view *>(this->raw)->sum;
	printf("%d %s %d|", this->view, xlate<struct view>(this->raw).text, xlate<struct view>(this->raw).in.twice);
	printf("%d %s|%d %s\n", number->sum, (*number).text, of[2].sum, of[2].text);
}

BEGIN
{
	whole = xlate<struct view>((int64_t)3);
	printf("%d %s %d\n", whole.sum, whole.text, whole.unset);
}
