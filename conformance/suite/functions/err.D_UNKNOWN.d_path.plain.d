BEGIN { trace(d_path((struct path *)0)); }
