/* Runtime spec §19, line 24. */
/* @@ args: */
BEGIN { setopt("quiet"); } BEGIN { printf("x"); exit(0); }
