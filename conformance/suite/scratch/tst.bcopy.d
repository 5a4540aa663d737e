/* From strings and from scratch memory; a string is followed by zeros. */
BEGIN
{
	this->a = (char *)alloca(16);
	bcopy("hello", this->a, 3);
	printf("%s|", stringof(this->a));
	bcopy("hello", this->a, 16);
	this->b = (char *)alloca(16);
	bcopy(this->a + 1, this->b, 3);
	printf("%s|%s|%d\n", stringof(this->a), stringof(this->b), this->a[15]);
}
BEGIN { this->a = (char *)alloca(8); this->b = (char *)alloca(8); bcopy(this->a, this->b, 300); }
BEGIN { this->a = (char *)alloca(8); this->b = (char *)alloca(8); bcopy(this->a, this->b, 9); }
BEGIN { this->a = (char *)alloca(8); bcopy((void *)16, this->a, 4); }
BEGIN { exit(0); }
