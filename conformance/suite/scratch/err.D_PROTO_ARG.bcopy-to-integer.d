BEGIN { bcopy("a", 1, 2); }
