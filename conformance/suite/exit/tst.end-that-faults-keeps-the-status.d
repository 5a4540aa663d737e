/* The status of a clause of END that faults goes with its record; that of BEGIN, which was printed, stands. */
/* @@ status: 3 */
BEGIN { exit(3); }
END { exit(5); x = *(int *)0; }
