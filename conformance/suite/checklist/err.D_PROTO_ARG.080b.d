BEGIN { q["x"] = 1; q[1] = 2; }
