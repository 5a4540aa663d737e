/* @@ kernel: nonempty */
syscall::read:entry
{
	@ = quantize(arg0);
}

END
{
	printa("%@d", @);
	printf("end\n");
}
