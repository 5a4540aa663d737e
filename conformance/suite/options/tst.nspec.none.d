/* @@ args: -q -x nspec=0 */
/* There is none to have: the data of a speculation is lost, and each attempt is counted. Committing one that is not there is
 * a fault. */
BEGIN
{
	self->s = speculation();
	printf("%d %d\n", self->s, speculation());
}
BEGIN { speculate(self->s); printf("never"); }
BEGIN { commit(self->s); discard(self->s); }
BEGIN { printf("0 is ignored\n"); }
BEGIN { commit(1); }
BEGIN { exit(0); }
ERROR { printf("fault %d\n", arg4); }
