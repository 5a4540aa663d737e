BEGIN { v = (void *)8; v++; }
