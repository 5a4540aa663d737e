/* Runtime spec §19, line 65. */
BEGIN { printf("%@d", 1); }
