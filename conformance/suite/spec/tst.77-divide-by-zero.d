/* Runtime spec §19, line 77. */
BEGIN { x = 1; x = 1 / (x - x); }
BEGIN { exit(0); }
