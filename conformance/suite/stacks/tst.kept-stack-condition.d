/* Stacks that are kept from one event to another are asked for in predicates, `if` and by the operators of conditions. */
/* @@ args: -q */
/* @@ kernel: nonempty */
syscall::read:entry
/!self->s/
{
	self->s = ustack(2);
	kept[arg0] = stack(1);
}

syscall::read:return
/self->s && kept[1]/
{
	printf("%k%d %d\n", self->s, kept[2] || self->s, kept[2] ? 1 : 0);
	self->s = 0;
}

syscall::read:return
/!self->s/
{
	printf("none\n");
}

syscall::write:entry
{
	if (self->s) {
		printf("kept\n");
	} else {
		printf("gone\n");
	}
}
