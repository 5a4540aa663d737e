BEGIN { trace(inet_ntoa6((struct in6_addr *)0, pid)); }
