/* Runtime spec §7.11: keys in packed form, whatever they are; the frames of a stack keep lines of their own. */
/* @@ args: -q -x agghist */
struct p { short a; char c[2]; };
syscall::write:entry
{
	@[sym(arg0)] = count();
	@u[umod(arg2), (char)-1] = count();
	@s[*(struct p *)arg1] = count();
	@k[stack(1), 7] = count();
}
