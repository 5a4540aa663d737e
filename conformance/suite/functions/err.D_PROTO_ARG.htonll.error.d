BEGIN { trace(htonll("a")); }
