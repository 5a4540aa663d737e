/* Runtime spec §19, line 23. */
/* @@ args: */
BEGIN { printf("hi\n"); exit(0); }
