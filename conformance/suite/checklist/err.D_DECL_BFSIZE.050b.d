struct b { int f : 33; };
