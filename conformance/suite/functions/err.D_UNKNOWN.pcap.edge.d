/* Where it would never run. */
BEGIN { exit(0); }
BEGIN
/0/
{
	pcap((void *)0, 1);
}
