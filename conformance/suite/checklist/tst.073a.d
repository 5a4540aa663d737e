BEGIN { trace(1 ? "x" : 2); exit(0); }
