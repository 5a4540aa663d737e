/* @@ args: -q -x tregs=0 -x tregs=0xffffffffffffffff */
/* The least and the most. */
BEGIN { printf("%d", 1); exit(0); }
