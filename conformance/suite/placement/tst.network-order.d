/* @@ kernel: nonempty */
syscall::connect:entry
/ntohs(arg0) == 80/
{
	@[htonl(arg1), ntohll(arg1), htons(arg0)] = count();
	@d[getmajor(arg1), getminor(arg1)] = count();
}
