/* Pointers to functions have the types that were declared, in C's words. */
typedef int (*handler_t)(char *, unsigned long);
struct item { int a; };
struct table {
	int *(*plain)(void);
	void (*open)();
	int (*more)(const char *format, ...);
	int (*(*nested)(struct item *, int (*)(int)))[2];
	handler_t named;
	int (*rows)[3];
	char *names[2];
	void (*each[2])(handler_t);
};
BEGIN
{
	this->p = (struct table *)alloca(80);
	this->p->plain = (int *(*)(void))0x10;
	this->p->open = (void (*)())0x20;
	this->p->more = (int (*)(const char *, ...))0x30;
	*((uint64_t *)this->p + 3) = 0x40;
	this->p->named = (handler_t)0x50;
	this->p->rows = (int (*)[3])0x60;
	this->p->names[1] = (char *)0x70;
	*((uint64_t *)this->p + 9) = 0x80;
	print(this->p);
	exit(0);
}
