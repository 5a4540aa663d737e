/* Arrays in arrays and structs, constant and computed indices, elements of associative arrays that are arrays. */
/* @@ kernel: nonempty */
int grid[2][3];
int rows[int][3];
struct s {
	int n;
	struct {
		char c[4];
		int d;
	} in[3];
} v, w;
int total;

syscall::read:entry
{
	this->i = arg0;
	grid[1][this->i] = arg1;
	*(grid[0] + 2) = 9;
	rows[7][this->i] = arg1 + 1;
	v.in[this->i].c[1] = arg1;
	v.in[this->i].d += 1000;
	(&v.in[0])->c[3] = 77;
	w = v;
	printf("%d %d %d %d %d %d %d %d\n", grid[1][0], grid[1][2], grid[0][2], rows[7][2], w.in[this->i].c[1],
	    w.in[2].d, w.in[0].c[3], *w.in[2].c);
}
