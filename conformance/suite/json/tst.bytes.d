/* @@ args: --format json -q */
BEGIN
{
	trace("\377a");
	trace("\033[2J");
	@["\200"] = count();
	exit(0);
}
