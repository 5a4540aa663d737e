BEGIN
{
	trace(&uregs[0]);
}
