BEGIN { pcap(1); }
