/* @@ args: -qw -x pcapsize=8 */
/* @@ operands: FILE */
/* @@ file: shown */
/* One header, then each packet; the file is opened again behind what is there. */
struct sk_buff { unsigned int len; unsigned int data_len; unsigned char *data; };

BEGIN
{
	freopen("%s", $$1);
}

syscall::read:entry
{
	pcap((void *)arg0, PCAP_IP);
}

syscall::read:entry
/arg1/
{
	freopen("");
	freopen("%s", $$1);
}
