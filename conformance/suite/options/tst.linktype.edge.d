/* @@ args: -q -x linktype=dof */
/* @@ status: 1 */
/* Known, and of no use here. */
BEGIN { printf("%d", 1); exit(0); }
