/* The members of a union share their bytes. */
/* @@ kernel: nonempty */
union u {
	uint64_t whole;
	uint32_t half[2];
	char byte[8];
	struct {
		unsigned low : 4;
		int high : 4;
		short second;
	} parts;
};
union u v;
struct {
	int n;
	union u u;
} t[2];

syscall::read:entry
{
	v.whole = arg0;
	printf("%x %x %d %d %d %d\n", v.half[0], v.half[1], v.byte[1], v.parts.low, v.parts.high, v.parts.second);
	v.byte[arg1] = -1;
	v.parts.high = 2;
	printf("%x\n", v.whole);
	t[1].u = v;
	t[1].u.half[1]++;
	printf("%x %x\n", t[1].u.whole, t[0].u.whole);
}
