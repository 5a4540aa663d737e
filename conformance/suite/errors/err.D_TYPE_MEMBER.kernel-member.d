BEGIN
{
	trace(curthread->tgidd);
}
