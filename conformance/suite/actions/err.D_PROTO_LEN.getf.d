BEGIN { trace(getf()); }
