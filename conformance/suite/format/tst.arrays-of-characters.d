/* Runtime spec §5.1: a NUL shows if the array has one; wide characters print as UTF-8. */
/* @@ kernel: nonempty */
struct s { char full[3]; char next; char part[4]; int wide[3]; };
syscall::write:entry
{
	this->p = (struct s *)arg1;
	printf("%s|%S|%s|%S|%ls|%ws|%4.1ls|\n", this->p->full, this->p->full, this->p->part, this->p->part, this->p->wide, this->p->wide, this->p->wide);
}
