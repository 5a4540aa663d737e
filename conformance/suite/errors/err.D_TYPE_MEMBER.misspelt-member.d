struct request { int sector; int length; };
struct request r;

BEGIN
{
	trace(r.lenght);
}
