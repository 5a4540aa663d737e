BEGIN { trace(d_path(1)); }
