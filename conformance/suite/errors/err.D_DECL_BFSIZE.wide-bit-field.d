struct b { int f : 33; };
BEGIN { }
