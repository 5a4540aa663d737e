/* Runtime spec §19, line 64. */
BEGIN { printf("%*d", 1); }
