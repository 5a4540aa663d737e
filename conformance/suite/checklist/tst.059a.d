int m, n; BEGIN { m = 2147483647; n = m + 1; trace(n); exit(0); }
