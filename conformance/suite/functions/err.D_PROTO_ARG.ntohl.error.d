BEGIN { trace(ntohl("a")); }
