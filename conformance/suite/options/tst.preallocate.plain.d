/* @@ args: -q -x preallocate=8 */
BEGIN { printf("%d", 1); exit(0); }
