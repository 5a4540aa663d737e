/* 0 goes with pointers and with a stack that is kept, not with the action that takes one. */
BEGIN
{
	s = stack();
	trace(s == 0);
	trace(0 == stack());
}
