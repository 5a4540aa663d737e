BEGIN { tracemem(0, 1, "x"); }
