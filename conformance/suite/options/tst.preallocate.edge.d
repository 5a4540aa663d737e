/* @@ args: -q -x preallocate=0 -x preallocate=0xffffffffffffffff */
/* The least and the most. */
BEGIN { printf("%d", 1); exit(0); }
