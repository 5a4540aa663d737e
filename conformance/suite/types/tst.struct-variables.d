/* Members of struct variables are variables: global, of a thread, of a clause, of an element. */
/* @@ kernel: nonempty */
struct point {
	int x;
	short y;
	string name;
};
struct point last;
struct point by_thread[int];

syscall::read:entry
{
	this->p = last;
	last.x = arg0;
	last.y = arg1;
	last.name = execname;
	self->p = last;
	self->p.x++;
	by_thread[arg0] = self->p;
	by_thread[arg0].y -= 1;
	printf("%d,%d,%s %d,%d,%s %d,%d,%s %d,%d,%s\n", this->p.x, this->p.y, this->p.name, last.x, last.y, last.name,
	    self->p.x, self->p.y, self->p.name, by_thread[arg0].x, by_thread[arg0].y, by_thread[3].name);
}
