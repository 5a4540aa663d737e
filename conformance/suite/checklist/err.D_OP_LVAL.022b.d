BEGIN { $pid++; }
