/* What a pointer points to, and values. The address of scratch memory is the same on every engine. */
BEGIN
{
	this->p = (uint32_t *)alloca(8);
	*this->p = 0x41424344;
	print(this->p);
	this->c = (char *)this->p;
	print(this->c);
	print((short)-2);
	printf("\n");
	print((char)'x');
	printf("\n");
	print("text");
	printf("\n");
	print((uint64_t)0);
	printf("\n");
	exit(0);
}
