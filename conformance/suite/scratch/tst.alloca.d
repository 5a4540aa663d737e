/* Zeroed blocks of 8, one after the other, anew in each clause. */
BEGIN
{
	this->a = (char *)alloca(3);
	this->b = (char *)alloca(8);
	this->c = (char *)alloca(0);
	printf("%d %d %d\n", this->b - this->a, this->c - this->b, this->a[2]);
	this->a[2] = 'x';
	this->b[7] = 'y';
	printf("%c%c\n", this->a[2], *(this->b + 7));
}
BEGIN
{
	this->d = (char *)alloca(8);
	printf("%d\n", this->d[2]);
	exit(0);
}
