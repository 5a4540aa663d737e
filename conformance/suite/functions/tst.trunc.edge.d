/* More than there are; the smallest, with any count; none. */
BEGIN { @a["x"] = sum(3); @a["y"] = sum(9); @a["z"] = sum(6); trunc(@a, 7); printa(" %s=%@d", @a); trunc(@a, -2); printa(" %s=%@d", @a); trunc(@a, -9223372036854775807 - 1); printa(" %s=%@d", @a); trunc(@a, 0); printa(" %s=%@d", @a); exit(0); }
