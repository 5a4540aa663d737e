BEGIN { trace(ntohs("a")); }
