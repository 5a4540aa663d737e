/* @@ args: -q -x pcapsize=0 */
/* 20 of 24 bytes are the packet's; of 200 bytes 24; and 180 of these 200 are elsewhere. */
struct sk_buff { unsigned int len; unsigned int data_len; unsigned char *data; };

syscall::read:entry
{
	pcap((void *)arg0, PCAP_ETHER);
}
