int z; inline int zz = z; BEGIN { zz = 4; trace(z); exit(0); }
