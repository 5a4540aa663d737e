/* All bits, none, the lowest byte, and more bits than it takes. */
syscall::write:entry
{
	printf("%x %x %x %x\n", ntohl(-1), ntohl(0), ntohl(0x80), ntohl(0x1122334411223344));
}
