/* @@ args: -q */
BEGIN
{
	s = speculation();
}
BEGIN
{
	speculate(s);
	printf("begun\n");
}
tick-1s
{
	speculate(s);
	printf("ticked\n");
}
tick-2s
{
	commit(s);
}
tick-3s
{
	exit(0);
}
