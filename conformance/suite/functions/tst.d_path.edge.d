/* Where it never runs nothing is read. */
BEGIN { exit(0); }
BEGIN
/0/
{
	trace(d_path((struct path *)0));
}
