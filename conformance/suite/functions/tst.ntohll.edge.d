/* All bits, none, the lowest byte. */
syscall::write:entry
{
	printf("%x %x %x %x\n", ntohll(-1), ntohll(0), ntohll(0x80), ntohll(0x1122334455667788));
}
