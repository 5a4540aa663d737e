/* What was printed before is there before the command runs; its status is nobody's business. */
/* @@ args: -qw */
/* @@ file: shown */
/* @@ operands: FILE */
BEGIN { freopen("%s", $$1); printf("one\n"); system("echo two >> %s; exit 7", $$1); printf("three\n"); freopen(""); printf("back"); exit(0); }
