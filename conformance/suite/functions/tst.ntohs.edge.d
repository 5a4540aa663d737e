/* All bits, none, the lowest byte, and more bits than it takes. */
syscall::write:entry
{
	printf("%x %x %x %x\n", ntohs(-1), ntohs(0), ntohs(0xff), ntohs(0x12345678));
}
