BEGIN { trace(2 ^^ 0); trace(1 || 0 ^^ 1); trace(1 & 2 == 2); exit(0); }
