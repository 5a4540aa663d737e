/* The text of an array ends with it, of one character too; at the end of a struct one character stands for an open length. */
struct t { char a[1]; char pad[3]; int b; };
struct tail { short n; char name[1]; };
union u { int n; char c[1]; };

syscall::read:entry
{
	this->t = (struct t *)arg0;
	@[this->t->a] = count();
	x[this->t->a]++;
	printf("%s|%S|%d|%d|%s\n", this->t->a, this->t->a, x[this->t->a], strlen(this->t->a),
	    stringof((1, this->t->pad)));
	printf("%d %s\n", this->t->a == "A", strjoin(this->t->a, "!"));
	printf("%s %s\n", ((struct tail *)arg1)->name, ((union u *)arg1)->c);
}
