/* @@ args: -q -x iregs=0 -x iregs=0xffffffffffffffff */
/* The least and the most. */
BEGIN { printf("%d", 1); exit(0); }
