/* @@ args: -q -x cleanrate=1us */
/* At least 200 microseconds. */
BEGIN { printf("%d", 1); exit(0); }
