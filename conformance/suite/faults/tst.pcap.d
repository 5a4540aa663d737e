/* No packet, no data. */
struct sk_buff { unsigned int len; unsigned int data_len; unsigned char *data; };

syscall::read:entry
{
	pcap((void *)arg0, PCAP_ETHER);
	printf("never");
}
