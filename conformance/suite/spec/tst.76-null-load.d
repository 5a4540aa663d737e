/* Runtime spec §19, line 76. */
BEGIN { x = *(int *)0; }
BEGIN { exit(0); }
