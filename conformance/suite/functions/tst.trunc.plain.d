BEGIN { @a["x"] = sum(3); @a["y"] = sum(9); @a["z"] = sum(6); trunc(@a, 2); printa(" %s=%@d", @a); exit(0); }
