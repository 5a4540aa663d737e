BEGIN { q[1] = 5; q[(char)1] = 6; trace(q[1L]); exit(0); }
