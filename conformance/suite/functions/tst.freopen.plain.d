/* @@ args: -qw */
/* @@ file: shown */
/* @@ operands: FILE */
BEGIN { printf("out "); freopen("%s", $$1); printf("in %d\n", 1); freopen(""); printf("back"); exit(0); }
