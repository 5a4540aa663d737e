/* Several CPUs and probes add to a speculation; its records keep the CPU each was made on. */
/* @@ args: -x nspec=2 */
/* @@ kernel: nonempty */
syscall::read:entry
/!spec/
{
	spec = speculation();
}

syscall::read:entry,
syscall::write:entry
/spec/
{
	speculate(spec);
	trace(arg0);
}

syscall::close:entry
/spec/
{
	commit(spec);
	spec = 0;
}
