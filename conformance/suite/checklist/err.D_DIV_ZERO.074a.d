BEGIN { trace(7 / (3 - 3)); }
