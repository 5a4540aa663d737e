BEGIN { n++; trace(sizeof (n)); exit(0); }
