BEGIN { trace(getminor(1, 2)); }
