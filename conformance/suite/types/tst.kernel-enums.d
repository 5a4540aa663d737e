/* An enum of the kernel that a cast of a constant names first. */
BEGIN
{
	this->kind = (enum pid_type)1;
	kind = (enum pid_type)2;
	printf("%d %d %d\n", this->kind == PIDTYPE_TGID, sizeof (kind), kind);
	exit(0);
}
