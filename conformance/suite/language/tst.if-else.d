/* @@ kernel: nonempty */
syscall::read:entry
{
	if (arg0 > 100)
		@["big"] = count();
	else if (arg0 > 10) {
		@["medium"] = count();
		@sum = sum(arg0);
	} else
		@["small"] = count();
	@["all"] = count();
}
