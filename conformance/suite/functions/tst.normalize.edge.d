/* The last one counts; -7/2, (-15/3)/2 and the deviation of 1 and 5, each cut toward zero; a histogram's bars stay. */
BEGIN { @a = sum(-7); @b = avg(-7); @b = avg(-8); @s = stddev(10); @s = stddev(50); @q = quantize(4, 10); normalize(@a, 5); normalize(@a, 2); normalize(@b, 3); normalize(@s, 10); normalize(@q, 4); printa("%@d %@d %@d", @a, @b, @s); printa("%@d", @q); exit(0); }
