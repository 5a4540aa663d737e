/* printa() is carried out when its record is printed. */
/* @@ args: -x bufpolicy=fill */
/* @@ kernel: nonempty */
/* @@ env: _DTRACE_TESTING=1 */
syscall::read:entry
{
	@ = count();
	printa("%@d", @);
}
