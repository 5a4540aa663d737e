BEGIN
{
	curthread->comm[0] = 1;
}
