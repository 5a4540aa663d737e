/* @@ args: -q -x udefs */
/* Twice. */
#pragma D option udefs
BEGIN { printf("%d", 1); exit(0); }
