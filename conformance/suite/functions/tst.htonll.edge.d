/* All bits, none, the lowest byte. */
syscall::write:entry
{
	printf("%x %x %x %x\n", htonll(-1), htonll(0), htonll(0x80), htonll(0x1122334455667788));
}
