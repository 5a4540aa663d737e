/* Behind an `exit` of END its other clauses run; the status of one that faults goes with its record. */
/* @@ status: 5 */
BEGIN { exit(3); }
BEGIN { printf("not this\n"); }
END { exit(4); }
END { @ = count(); printf("second\n"); exit(5); }
END { exit(6); x = *(int *)0; }
END { printf("fourth\n"); }
ERROR { printf("fault\n"); }
