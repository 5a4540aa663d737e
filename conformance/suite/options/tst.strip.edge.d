/* @@ args: -q -x strip */
/* Twice. */
#pragma D option strip
BEGIN { printf("%d", 1); exit(0); }
