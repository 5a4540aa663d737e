struct b { int f : 3; } v;
BEGIN { trace(&v.f); }
