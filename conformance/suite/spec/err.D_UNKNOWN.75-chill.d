/* Runtime spec §19, line 75. */
BEGIN { chill(1); }
