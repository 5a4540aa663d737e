/* @@ kernel: nonempty */
syscall:::
{
	printf("%s:%s:%s:%s\n", probeprov, probemod, probefunc, probename);
}
