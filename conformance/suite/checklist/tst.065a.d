BEGIN { s = "hello"; trace(s + 1); trace(s[1]); exit(0); }
