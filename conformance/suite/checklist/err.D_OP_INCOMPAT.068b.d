BEGIN { v = (void *)8; trace(v + 1); }
