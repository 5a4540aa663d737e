BEGIN { umod(1, 2); }
