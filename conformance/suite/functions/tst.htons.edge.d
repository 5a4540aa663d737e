/* All bits, none, the lowest byte, and more bits than it takes. */
syscall::write:entry
{
	printf("%x %x %x %x\n", htons(-1), htons(0), htons(0xff), htons(0x12345678));
}
