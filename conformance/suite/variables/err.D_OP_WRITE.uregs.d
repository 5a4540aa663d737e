BEGIN
{
	uregs[0] = 0;
}
