this int v[int];
