/* @@ engines: interp jit rbpf */
/* @@ args: -qw -x pcapsize=8 */
/* @@ operands: FILE */
/* @@ file: shown */
/* Two packets of one row are behind one header. */
struct sk_buff { unsigned int len; unsigned int data_len; unsigned char *data; };

BEGIN
{
	freopen("%s", $$1);
}

syscall::read:entry
{
	pcap((void *)arg0, PCAP_IP);
	pcap((void *)arg1, PCAP_IP);
}
