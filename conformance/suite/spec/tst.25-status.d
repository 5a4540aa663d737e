/* Runtime spec §19, line 25. */
/* @@ status: 3 */
BEGIN { exit(3); }
