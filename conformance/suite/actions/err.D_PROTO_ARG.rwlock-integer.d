BEGIN { trace(rw_read_held(1)); }
