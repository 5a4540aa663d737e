/* @@ args: -q -x quiet=no */
/* @@ env: _DTRACE_TESTING=1 */
/* Off again: the row has its prefix. */
BEGIN { exit(0); }
