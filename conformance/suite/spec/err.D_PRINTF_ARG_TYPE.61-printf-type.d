/* Runtime spec §19, line 61. */
BEGIN { printf("%d", "x"); }
