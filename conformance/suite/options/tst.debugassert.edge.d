/* @@ args: -q -x debugassert */
/* Twice. */
#pragma D option debugassert
BEGIN { printf("%d", 1); exit(0); }
