#define N 3
BEGIN { trace(N); }
