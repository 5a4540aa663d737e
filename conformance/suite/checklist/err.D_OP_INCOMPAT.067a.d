BEGIN { p = 5; q = (int *)p; q = 0; q = p; }
