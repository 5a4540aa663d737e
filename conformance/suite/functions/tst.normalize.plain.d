BEGIN { @a["x"] = sum(3); @a["y"] = sum(9); @a["z"] = sum(6); normalize(@a, 3); printa(" %s=%@d", @a); exit(0); }
