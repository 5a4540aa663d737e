/* Runtime spec §19, line 63. */
BEGIN { printf("%d", 1, 2); }
