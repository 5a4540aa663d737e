BEGIN { x = jstack(-1); }
