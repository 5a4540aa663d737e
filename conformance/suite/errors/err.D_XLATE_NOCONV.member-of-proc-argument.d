/* @@ status: 1 */
/* The type is the library's, although nothing in the program names it or a member that it has. */
proc:::create
{
	trace(args[0]->pr_pidd);
}
