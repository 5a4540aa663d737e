/* Runtime spec §19, line 80. */
BEGIN { x = speculation(); y = speculation(); }
BEGIN { exit(0); }
