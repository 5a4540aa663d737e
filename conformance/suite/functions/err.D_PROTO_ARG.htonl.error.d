BEGIN { trace(htonl("a")); }
