/* @@ string: n */
int v; BEGIN { v = 3; trace(v); exit(0); }
