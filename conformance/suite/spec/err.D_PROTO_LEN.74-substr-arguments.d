/* Runtime spec §19, line 74. */
BEGIN { substr("a"); }
