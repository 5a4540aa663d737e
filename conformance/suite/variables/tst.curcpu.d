/* The CPU of a made-up event is in package 0 and node 0; curcpu has the same numbers as the variables. */
syscall::read:entry
{
	printf("%d %d %d %d\n", curcpu->cpu_id, curcpu->cpu_pset, curcpu->cpu_chip, curcpu->cpu_lgrp);
	printf("%d %d %d %d\n", cpu, pset, chip, lgrp);
	@[chip, lgrp, curcpu->cpu_id] = count();
}

BEGIN
{
	printf("%d %d %d %d %d\n", sizeof (curcpu), sizeof (*curcpu), sizeof (cpuinfo_t), sizeof (chip), sizeof (lgrp));
}
