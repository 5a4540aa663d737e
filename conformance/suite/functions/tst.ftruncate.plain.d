/* @@ args: -qw */
/* @@ file: shown */
/* @@ operands: FILE */
BEGIN { freopen("%s", $$1); printf("old\n"); ftruncate(); printf("new\n"); freopen(""); printf("back"); exit(0); }
