/* Runtime spec §19, line 62. */
BEGIN { printf("%s"); }
