/* All digits of the 80-bit format, and all its exponents. */
BEGIN
{
	this->p = alloca(32);
	*(uint64_t *)this->p = 0xc90fdaa22168c235ULL;
	*((uint64_t *)this->p + 1) = 0xc000;
	printf("%.25Lf|%.21Lg|%Lg\n", *(long double *)this->p, *(long double *)this->p, *(long double *)this->p);
	*(uint64_t *)this->p = 1ULL << 63;
	*((uint64_t *)this->p + 1) = 0x5fff;
	printf("%Le|%Lg\n", *(long double *)this->p, *(long double *)this->p);
	*(uint64_t *)this->p = 1;
	*((uint64_t *)this->p + 1) = 0;
	printf("%.9LE\n", *(long double *)this->p);
	exit(0);
}
