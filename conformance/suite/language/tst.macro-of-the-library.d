/* Operands that are names of the library: what is defined there is found by them, too. */
/* @@ operands: zonename tcp_state_string cpuinfo_t */
BEGIN
{
	printf("%s %s %d\n", $1, $2[3], sizeof ($3));
	exit(0);
}
