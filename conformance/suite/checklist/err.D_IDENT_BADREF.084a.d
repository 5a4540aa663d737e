BEGIN { q[1] = 1; trace(sizeof (q)); }
