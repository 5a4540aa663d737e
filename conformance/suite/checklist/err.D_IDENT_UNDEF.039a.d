BEGIN { x = y; }
