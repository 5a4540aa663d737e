BEGIN
{
	trace(uregs[R_TRAPNO + 1]);
}
