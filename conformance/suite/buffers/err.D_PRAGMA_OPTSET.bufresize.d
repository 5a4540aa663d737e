#pragma D option bufresize=perhaps
BEGIN
{
	exit(0);
}
