/* @@ args: -q -Z -x pspec */
/* `int` could be a type: here it is a provider. */
int:::nosuch, dtrace:::BEGIN { printf("%d", 1); exit(0); }
