/* An enumerator is no function. */
enum e { A };

BEGIN
{
	A();
}
