/* Runtime spec §19, line 22. */
/* @@ args: */
BEGIN { x = 1; } BEGIN { @ = count(); } BEGIN { exit(0); }
