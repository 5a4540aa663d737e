/* Runtime spec §19, line 20. */
/* @@ args: */
BEGIN { trace("ab"); trace("cd"); exit(0); }
