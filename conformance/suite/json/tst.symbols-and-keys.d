/* Keys of every type; bytes that are no text, and negative counts. */
/* @@ args: --format json */
struct p { short a; char c[2]; };
syscall::write:entry
{
	@ = max(-1);
	@s[stack(2), ustack(2), jstack(2)] = count();
	@y[sym(arg0), mod(arg0), usym(arg2), umod(arg2), uaddr(arg2)] = count();
	@n[(short)-1, (unsigned char)255, (uint64_t)-1, copyinstr(arg1), (void *)8] = sum(-3);
	@b[*(struct p *)arg1] = stddev(1);
	@z[""] = quantize(0, -2);
}
