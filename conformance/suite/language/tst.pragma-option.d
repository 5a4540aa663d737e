/* @@ args:  */
/* @@ kernel: nonempty */
#pragma D option quiet
#pragma D option strsize=4

syscall::read:entry
{
	printf("%s\n", execname);
}
