/* A negative trunc, weighted quantize and lquantize. */
BEGIN { @q = quantize(4, 3); @l = lquantize(50, 0, 100, 50, 2); @c[1] = sum(1); @c[2] = sum(2); trunc(@c, -1); printa("%d %@d\n", @c); printa(@l); trunc(@q); trunc(@l); trunc(@c); exit(0); }
