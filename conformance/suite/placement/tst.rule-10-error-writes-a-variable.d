/* @@ kernel: nonempty */
int64_t faults;

ERROR
{
	faults++;
}

syscall::read:entry
/faults < 2/
{
	@ok = sum(100 / arg0);
}

END
{
	printf("%d\n", faults);
}
