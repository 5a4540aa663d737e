/* Runtime spec §19, line 18. */
/* @@ args: */
BEGIN { trace(42); exit(0); }
