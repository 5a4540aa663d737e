BEGIN { n = 8 /2; trace(n); exit(0); }
