/* -1, 0 and -1 as char; 255, 0 and 255 as unsigned char. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@[1] = sum((char)arg0);
	@[2] = sum((unsigned char)arg0);
	@lo = min((int)arg0);
	@hi = max((unsigned int)arg0);
	@avg = avg(-arg0);
}
