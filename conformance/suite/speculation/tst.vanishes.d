/* Runtime spec §10: at exit what was not committed vanishes without a word. */
syscall::write:entry
{
	self->s = speculation();
	speculate(self->s);
	printf("not this");
}
END { printf("end"); }
