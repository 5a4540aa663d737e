/* Pointers to scratch memory that lie in scratch memory are followed: lists, arrays of pointers, structs, copies. */
/* @@ kernel: nonempty */
struct node { struct node *next; long value; char *names[2]; };
struct pair { struct node *a, *b; };
this struct pair x, y;
inline struct node *next[struct node *n] = n->next;
inline struct node *chosen[int i, struct node *n, struct node *m] = i ? n : m->next;

syscall::read:entry
{
	this->a = (struct node *)alloca(sizeof (struct node));
	this->b = (struct node *)alloca(sizeof (struct node));
	this->c = (struct node *)alloca(sizeof (struct node));
	this->a->next = this->b;
	this->b->next = this->c;
	this->c->value = arg0;
	this->b->value = arg1;
	printf("%d %d", this->a->next->next->value, (*(*this->a).next).value);
	this->a->next->next->value++;
	printf(" %d %d", this->c->value, next[next[this->a]]->value);
	next[this->a]->value = 77;
	this->walk = this->a->next;
	printf(" %d", this->walk->value);
	this->walk = this->walk->next;
	printf(" %d %d", this->walk->value, this->walk->next == 0);
	printf(" %d", chosen[arg1 > 2, this->b, this->b]->value);
	this->p = &this->a->next->value;
	printf(" %d\n", *this->p);
}

syscall::write:entry
{
	this->d = (struct node *)alloca(sizeof (struct node));
	this->text = (char *)alloca(4);
	this->text[0] = 'h';
	this->text[1] = 'i';
	this->d->names[1] = this->text;
	i = 1;
	printf("%s %c %d", stringof(this->d->names[1]), this->d->names[i][1], strlen(this->d->names[i]));
	this->v = (char **)alloca(16);
	*this->v = this->text;
	this->v[i] = &this->v[0][1];
	printf(" %s %s %c\n", stringof(*this->v), stringof(this->v[1]), **this->v);
}

syscall::open:entry
{
	this->n = (struct node *)alloca(sizeof (struct node));
	this->n->value = arg0;
	this->x.a = this->n;
	this->s = (struct pair *)alloca(sizeof (struct pair));
	*this->s = this->x;
	this->s->b = this->s->a;
	this->y = *this->s;
	printf("%d %d %d", this->s->a->value, this->y.b->value, (arg0 ? this->y : *this->s).a->value);
	this->later = this->y.b;
	this->later->value = 5;
	printf(" %d %d\n", ((struct node *)(uintptr_t)this->n)->value, this->x.a->value);
}
