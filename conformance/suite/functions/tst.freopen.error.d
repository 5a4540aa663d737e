/* @@ args: -qw */
BEGIN { printf("a"); freopen("%s/%d", "/nowhere", 5); printf("b"); exit(0); }
