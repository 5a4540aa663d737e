/* Runtime spec §19, line 21. */
/* @@ args: */
BEGIN { } BEGIN { x = 1; exit(0); }
