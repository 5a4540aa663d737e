BEGIN { n = 0xffffffffffffffff; trace(n > 0); exit(0); }
