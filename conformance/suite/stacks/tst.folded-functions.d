/* Folded frames are functions: places in the same ones are one line. What is empty is no frame. */
/* @@ args: --format folded */
syscall::read:entry
{
	@[ustack(), stack()] = count();
	@least[ustack()] = min(arg0);
	@average[ustack(1)] = avg(arg0);
	@kernel[stack()] = sum(arg0);
	@name[probemod, execname] = count();
	stack();
	ustack();
}
