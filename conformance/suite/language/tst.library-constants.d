BEGIN
{
	printf("%d %d %d %d\n", EHWPOISON, IPPROTO_TCP, IPPROTO_ICMPV6, AF_INET6);
	printf("%d %d %d %d\n", PR_IDLE, SONPROC, CLD_TRAPPED, PCAP_IPOIB);
	printf("%d %d %d %d\n", TH_ACK | TH_SYN, TCP_STATE_LISTEN, NET_PROBE_INBOUND, RW_READER);
	exit(0);
}
