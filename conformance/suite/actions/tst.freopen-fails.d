/* @@ args: -qw */
/* A file that cannot be opened is an error of the consumer; the stream stays. */
BEGIN { printf("a"); freopen("/nowhere/%d", 5); printf("b\n"); exit(0); }
ERROR { printf("never"); }
