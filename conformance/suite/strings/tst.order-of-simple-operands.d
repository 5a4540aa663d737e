/* @@ kernel: nonempty */
/* Order, where the operands are constants and built-ins that have no memory of their own. */
syscall::read:entry
/execname > "bash" && execname >= "cat" && execname <= "cat" && execname < "cats"/
{
	@name = count();
}

syscall::read:entry
/"a" < execname && probefunc < "readlink" && "rea" <= probefunc && execname < probefunc/
{
	@function = count();
}

syscall::read:entry
/"a" < "b" && !("b" <= "a")/
{
	@constants = count();
}

syscall::read:entry
/execname < "bash" || probefunc < "re" || execname > probefunc/
{
	@never = count();
}
