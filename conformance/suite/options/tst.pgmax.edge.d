/* @@ args: -q -x pgmax=0 -x pgmax=0xffffffffffffffff */
/* The least and the most. */
BEGIN { printf("%d", 1); exit(0); }
