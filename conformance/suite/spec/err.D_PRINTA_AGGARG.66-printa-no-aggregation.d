/* Runtime spec §19, line 66. */
BEGIN { printa("%d", 1); }
