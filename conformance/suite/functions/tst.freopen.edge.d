/* What is there already stays; to go back twice does no harm. */
/* @@ args: -qw */
/* @@ file: shown */
/* @@ operands: FILE */
BEGIN { freopen("%s", $$1); printf("one\n"); freopen("%s", $$1); printf("two\n"); freopen(""); freopen(""); printf("back"); exit(0); }
