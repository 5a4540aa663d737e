BEGIN { x = 1; tracemem(0, x); }
