/* An inline shares the name space of global variables, with which an enumerator right of a comparison goes together badly. */
enum pid_type v;
inline int PIDTYPE_PID = pid;

BEGIN
{
	v = 0;
	trace(v == PIDTYPE_PID);
}
