/* A member that is an array of characters takes the string it is given, as text, key and operand. */
#pragma D option quiet

struct who { char name[16]; int twice; };
translator struct who < int i > { name = execname; twice = i * 2; };
inline struct who *me = xlate <struct who *> (7);

syscall::read:entry
{
	trace(xlate <struct who *> (arg0)->name);
	printf("|%s|%d|%d|%d\n", me->name, me->twice, strlen(me->name), me->name == "cat");
	@[me->name] = count();
}
