/* @@ kernel: nonempty */
ERROR
{
	printf("once\n");
	this->x = 1 / (arg4 - 4);
}

syscall::read:entry
/1 / arg0/
{
}
