/* Where it would never run. */
BEGIN { exit(0); }
BEGIN
/0/
{
	trace(d_path((struct path *)0));
}
