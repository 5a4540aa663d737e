syscall:::entry
{
	trace(uregs[arg0]);
}
