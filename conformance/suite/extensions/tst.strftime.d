/* The moment is a second before the leap day of 2000, a Monday. */
/* @@ args: -q -x strict=no */
syscall::read:entry
{
	printf("%s\n%s\n%s\n", strftime("%F %T.%3N|%N|%f", arg0), strftime("%a %e %b %y %j %s%%%q", arg0), strftime("%1N%9N", -1));
}
