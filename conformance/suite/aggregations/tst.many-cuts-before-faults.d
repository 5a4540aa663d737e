/*
 * A cut ahead of a fault changes nothing, however many there are: nothing is told to be taken together. K, which cannot know of
 * the fault, has begun another generation each time.
 */
#pragma D option quiet

string names[int];

syscall::write:entry { @s[execname] = sum(1); }
syscall::write:return
{
	trunc(@s);
	if (copyinstr(arg1) == names[1]) {
	} else {
	}
}
END { printa("%s %@d\n", @s); }
