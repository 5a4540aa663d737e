/* All bits, none, the lowest byte, and more bits than it takes. */
syscall::write:entry
{
	printf("%x %x %x %x\n", htonl(-1), htonl(0), htonl(0x80), htonl(0x1122334411223344));
}
