/* `#` keeps the point, also where no digit follows it. */
BEGIN
{
	this->p = (double *)alloca(8);
	*(uint64_t *)this->p = 0x40F86A0000000000ULL;
	printf("[%#g|%#.1g|%#20G|%g|%#e]", *this->p, *this->p, *this->p, *this->p, *this->p);
	*(uint64_t *)this->p = 0x405EC00000000000ULL;
	printf("[%#.3g|%.3g|%#g]", *this->p, *this->p, *this->p);
	*(uint64_t *)this->p = 0xfff8000000000000ULL;
	printf("[%f|%#G|%08f]", *this->p, *this->p, *this->p);
	exit(0);
}
