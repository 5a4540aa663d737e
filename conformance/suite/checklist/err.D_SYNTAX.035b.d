/* @@ string: n */
uint64_t*p; BEGIN { p = 0; }
