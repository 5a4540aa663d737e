BEGIN { pcap((void *)0, 1); }
