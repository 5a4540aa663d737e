/* Without a divisor, twice, and before the next. */
BEGIN { @a = sum(7); denormalize(@a); normalize(@a, 2); denormalize(@a); denormalize(@a); normalize(@a, 3); printa("%@d", @a); exit(0); }
