/* Runtime spec §7.6; integers of one and two bytes print as unsigned. */
/* @@ kernel: nonempty */
struct p { short a; char c[2]; };
syscall::write:entry
{
	@[*(struct p *)arg1, "s", (char)arg0, (short)arg0, (int)arg0, arg0, (void *)arg0] = count();
	@t[stack(1), usym(arg2), ((struct p *)arg1)->c] = sum(2);
}
