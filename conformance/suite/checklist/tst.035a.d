uint64_t*p; BEGIN { p = 0; trace(p); exit(0); }
