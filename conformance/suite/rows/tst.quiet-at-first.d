/* Runtime spec §1.2: quiet at the first record, so there is never a heading; the row that ends quiet has a newline and no beginning. */
/* @@ env: _DTRACE_TESTING=1 */
BEGIN { printf("a\n"); }
BEGIN { setopt("quiet", "no"); }
BEGIN { trace(1); exit(0); }
