inline int sq[int v] = v * v; BEGIN { trace(sq[5]); exit(0); }
