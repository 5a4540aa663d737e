/* Letters of ASCII alone, not their neighbours; cut at strsize. */
/* @@ args: -q -x strsize=8 */
syscall::write:entry
{
	printf("%s|%s|%s\n", toupper(""), toupper("\xc4\xe4@[`{"), toupper("abcdEFGHij"));
}
