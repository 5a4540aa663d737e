BEGIN { s = "hello"; s += 1; }
