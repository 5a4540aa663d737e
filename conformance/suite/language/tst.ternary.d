/* @@ kernel: nonempty */
syscall::read:entry
{
	@[arg0 < 0 ? "negative" : arg0 == 0 ? "zero" : "positive"] = count();
	@size[arg0 > 100 ? arg0 / 100 : arg0] = count();
}
