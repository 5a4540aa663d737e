/* @@ kernel: nonempty */
int64_t x;

syscall::read:entry
{
	x = arg0;
	x = x / arg1;
	x = 100;
}

END
{
	printf("%d\n", x);
}
