BEGIN { trace(ntohll("a")); }
