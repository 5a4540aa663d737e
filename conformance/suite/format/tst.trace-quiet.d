BEGIN
{
	printf("a"); printf("b\n"); trace(1); trace("c"); trace((char)-1); trace(-1LL); trace(4294967295u);
	exit(0);
}
