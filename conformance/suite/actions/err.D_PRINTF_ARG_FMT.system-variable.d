BEGIN { x = "true"; system(x); }
