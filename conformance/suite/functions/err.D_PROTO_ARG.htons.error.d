BEGIN { trace(htons("a")); }
