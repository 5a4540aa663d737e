/* The types of the io and network libraries, with C's sizes, and the names of TCP's states. */
BEGIN
{
	printf("bufinfo_t %d\n", sizeof (bufinfo_t));
	printf("devinfo_t %d\n", sizeof (devinfo_t));
	printf("conninfo_t %d\n", sizeof (conninfo_t));
	printf("netstackid_t %d\n", sizeof (netstackid_t));
	printf("pktinfo_t %d\n", sizeof (pktinfo_t));
	printf("csinfo_t %d\n", sizeof (csinfo_t));
	printf("ipinfo_t %d\n", sizeof (ipinfo_t));
	printf("ifinfo_t %d\n", sizeof (ifinfo_t));
	printf("ipv4info_t %d\n", sizeof (ipv4info_t));
	printf("ipv6info_t %d\n", sizeof (ipv6info_t));
	printf("tcpinfo_t %d\n", sizeof (tcpinfo_t));
	printf("tcpsinfo_t %d\n", sizeof (tcpsinfo_t));
	printf("tcplsinfo_t %d\n", sizeof (tcplsinfo_t));
	printf("udpinfo_t %d\n", sizeof (udpinfo_t));
	printf("udpsinfo_t %d\n", sizeof (udpsinfo_t));
	printf("%d\n", sizeof (in6_addr_t *));
	printf("%s ", tcp_state_string[0]);
	printf("%s ", tcp_state_string[1]);
	printf("%s ", tcp_state_string[2]);
	printf("%s ", tcp_state_string[3]);
	printf("%s ", tcp_state_string[4]);
	printf("%s ", tcp_state_string[5]);
	printf("%s ", tcp_state_string[6]);
	printf("%s ", tcp_state_string[7]);
	printf("%s ", tcp_state_string[8]);
	printf("%s ", tcp_state_string[9]);
	printf("%s ", tcp_state_string[10]);
	printf("%s ", tcp_state_string[11]);
	printf("%s ", tcp_state_string[12]);
	printf("%s ", tcp_state_string[99]);
	printf("%s ", tcp_state_string[-1]);
	exit(0);
}
