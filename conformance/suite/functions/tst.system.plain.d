/* @@ args: -qw */
/* @@ file: shown */
/* @@ operands: FILE */
BEGIN { system("echo %s %d > %s", "hi", 5, $$1); exit(0); }
