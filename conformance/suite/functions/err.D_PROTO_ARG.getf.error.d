BEGIN { trace(getf("a")); }
