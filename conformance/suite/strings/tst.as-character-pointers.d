/* An inline and a translator that take or give a character pointer are given that of a copy of a string. */
/* @@ args: -q -x scratchsize=1024 */
inline int second[char *s] = s[1];
inline char *word = "hello";
inline char *rest[char *s, int n] = s + n;
inline int none[char *s] = s == NULL;
struct o {
	char *name;
	int length;
};
translator struct o < char *S > {
	name = S;
	length = strlen(S);
};
translator struct o < int I > {
	name = I ? "one" : "zero";
};
self string unset;

syscall::read:entry
{
	printf("%d %c %d\n", second["abc"], second[execname], second[probefunc] == 'e');
	printf("%s %s %s\n", stringof(word), stringof(rest["xyz", arg1]), stringof(rest[word, 2]));
	printf("%d %d %d\n", none[NULL], none[self->unset], none[""]);
	this->p = rest[execname, 2];
	printf("%s %c\n", stringof(this->p), *this->p);
	printf("%s %d\n", stringof(xlate <struct o> (execname).name), xlate <struct o> ("four").length);
	printf("%s %c\n", stringof(xlate <struct o> ((int)arg1).name), xlate <struct o> (0).name[0]);
}

/* The letters of NULL are nowhere. */
syscall::read:entry
{
	trace(second[self->unset]);
}

ERROR
{
	printf("fault %d at %d\n", arg4, arg5);
}
