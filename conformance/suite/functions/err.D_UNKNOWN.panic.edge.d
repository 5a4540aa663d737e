/* Where it would never run, and with leave to destroy. */
/* @@ args: -qw */
BEGIN { exit(0); }
BEGIN
/0/
{
	panic();
}
