int m; BEGIN { m = 2147483647; trace(m + 1 > 0); exit(0); }
