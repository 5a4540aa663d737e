BEGIN { @a["x"] = sum(3); @a["y"] = sum(9); @a["z"] = sum(6); n = 0; normalize(@a, 3); normalize(@a, n); printa(" %s=%@d", @a); exit(0); }
